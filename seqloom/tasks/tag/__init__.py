"""Tag: what each word of a sentence is."""
