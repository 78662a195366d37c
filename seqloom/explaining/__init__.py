"""See inside: a definition with numbers, in a terminal, on a page, in a notebook."""
