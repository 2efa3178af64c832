"""Reports, the dashboard, and the file of a matter for a court, as pages."""
