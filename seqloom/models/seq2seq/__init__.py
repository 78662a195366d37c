"""Sequence in, sequence out: an encoder reads, a bridge hands over, a decoder writes."""
