"""The index of the seeds of the reference corpus: one port, its implementations, and the look-up of pages."""
