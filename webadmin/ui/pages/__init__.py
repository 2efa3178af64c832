"""The pages of the user interface: admin, views, forms."""
