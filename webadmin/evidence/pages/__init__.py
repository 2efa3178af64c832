"""What others made of a case or a matter, and the factors that a court looks at, as pages."""
