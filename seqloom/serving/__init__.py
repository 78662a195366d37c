"""Trained models behind HTTP: many requests become one batch, and everything has a bound."""
