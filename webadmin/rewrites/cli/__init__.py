"""The verb `leads`, and the output of suspected rewrites for `check`."""
