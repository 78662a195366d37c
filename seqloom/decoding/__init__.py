"""From logits of the next token to a text: beam search and sampling, the same code for every architecture."""
