"""The rows of reports, and the court file of a matter."""
