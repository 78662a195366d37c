"""The road of data: sources give records with their file and line, tokenizers numbers, batches tensors."""
