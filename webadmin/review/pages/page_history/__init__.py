"""The history of a page, read and shown."""
