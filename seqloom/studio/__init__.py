"""The studio: a live model as a page. What the page asks for, as bounded plain data."""
