"""The `leads` command, and the output of suspected rewrites for `check`."""
