"""The pages of reports: admin, views, forms."""
