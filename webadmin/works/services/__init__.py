"""Works of the rights holders: how their texts come in, and how much of them is taken."""
