"""Works of the rights holders: the intake of their texts, their rights, and their length."""
