"""Models side by side: the same data, tokens, batches and seeds, and a report that says what happened and why."""
