"""From scores of the next token to a text: sampling and beam search, the same code for every architecture."""
