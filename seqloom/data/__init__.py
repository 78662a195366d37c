"""The road of data: sources give records with their file and line, tokenizers token ids, batches tensors."""
