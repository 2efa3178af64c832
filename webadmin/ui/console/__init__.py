"""What the verbs of the command line share: output, lists, faults, sessions, keys."""
