"""What another package brings: a cell, an encoder, a decoder and a task, one file each."""
