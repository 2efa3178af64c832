"""Fields and base classes of the models of all applications."""
