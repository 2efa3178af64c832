"""Evidence: its rows, what it is made of, and cases as they are exported."""
