"""The `leads` command, and the search for rewrites in `batch`."""
