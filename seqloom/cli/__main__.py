"""`python -m seqloom.cli`."""

from seqloom.cli import main

main()
