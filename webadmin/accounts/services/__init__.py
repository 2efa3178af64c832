"""Who sees what; rights holders, passwords, and messages that failed for good."""
