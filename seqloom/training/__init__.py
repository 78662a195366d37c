"""One loop for every task and architecture, and a run that can be pulled out of the wall at any moment."""
