"""Translate: a text, and another text that it becomes: another language, a headline, a date, a pronunciation."""
