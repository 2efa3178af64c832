"""Pages of the admin that are more than a list or a form."""
