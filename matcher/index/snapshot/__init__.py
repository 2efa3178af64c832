"""A read-only copy of the index in a file that all workers of a machine map into memory."""
