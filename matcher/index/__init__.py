"""The index of seeds of the reference corpus: one port, its implementations, and the look-up of a page."""
