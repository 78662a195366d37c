"""Classify: what a text is."""
