"""Access rules, rights holders, passwords, and messages that failed permanently."""
