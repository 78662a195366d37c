"""One file per format: each reads a file, lazily, into records under the names that the file gives its columns."""
