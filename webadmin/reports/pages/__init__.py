"""The pages of reports, the dashboard, and the court file of a matter."""
