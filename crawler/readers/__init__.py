"""Reading what strangers sent, in a process of its own within bounds of time and memory."""
