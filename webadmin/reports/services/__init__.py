"""The rows that reports are made of, and the file of a matter for a court."""
