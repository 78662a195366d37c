"""Models by name as equations: one step of each decoder, from the last word to the shares of the next one."""
