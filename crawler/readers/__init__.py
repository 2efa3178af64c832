"""Reading of untrusted data, in a process of its own within bounds of time and memory."""
