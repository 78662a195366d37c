"""The attention weights of an answer: by piece and by word, as word alignments, as heat maps and files."""
