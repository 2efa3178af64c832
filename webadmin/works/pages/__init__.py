"""The pages of works: admin, views, forms."""
