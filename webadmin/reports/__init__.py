"""Reports, the dashboard, and the court file of a matter."""
