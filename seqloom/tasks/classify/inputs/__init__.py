"""What is classified: texts, or sequences of frames."""
