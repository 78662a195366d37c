"""Deployment engines: a trained model in the form of another runtime, in a folder of its own, used without torch."""
