"""Where the seeds of the reference corpus occur: one port, its implementations, and the look-up of a page."""
