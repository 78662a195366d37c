"""Where a model looked while it wrote: weights between words, as alignments and as pictures."""
