"""Layers put together: readers of one sequence, and what stands on them."""
