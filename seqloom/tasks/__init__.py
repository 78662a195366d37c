"""One file per problem: its examples, its batches, its loss, its score, its predictions."""
