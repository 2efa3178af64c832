"""Opens cases for findings, applies rights to them, and records people's decisions."""
