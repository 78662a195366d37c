"""Multitask: one encoder, and a head for each of several tasks."""
