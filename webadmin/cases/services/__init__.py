"""Opens cases for findings, rules on them by rights, and records the decisions of users."""
