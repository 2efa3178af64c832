"""Records, ids, ports, messages, errors, settings: what every package shares; the standard library only."""
