"""Makes, stores, checks and exports evidence."""
