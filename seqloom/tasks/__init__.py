"""One folder per problem: its examples, its batches, its loss, its metrics, its answers."""
