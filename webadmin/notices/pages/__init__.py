"""The pages of notices: admin, views, forms."""
