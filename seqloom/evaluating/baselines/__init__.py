"""Simple models that are trained in seconds: what a network has to beat to be worth its while."""
