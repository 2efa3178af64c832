"""The pages of what others made of a case or matter, of the factors that a court looks at, and of the damages."""
