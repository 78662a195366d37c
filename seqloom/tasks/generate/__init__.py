"""Generate: what comes next in a text; or, masked, what stood where it is hidden."""
