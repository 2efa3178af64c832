"""Fields and base classes of the tables of every application."""
