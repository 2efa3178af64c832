"""Works of rights holders: the intake of their texts, their rights, and their lengths."""
