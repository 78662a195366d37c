"""Metrics of predictions: accuracy, F1, BLEU, ROUGE, perplexity, error rates, confidence intervals."""
