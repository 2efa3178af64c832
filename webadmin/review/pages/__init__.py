"""The pages of review: admin, views, forms."""
