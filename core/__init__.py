"""Records, ids, ports, messages, errors, settings: what every package shares. Only the settings need a library."""
