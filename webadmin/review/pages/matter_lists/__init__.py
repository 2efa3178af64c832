"""Review: matter lists."""
