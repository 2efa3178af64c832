"""Forms of the admin: what a person may type, and what is said where it cannot be."""
