"""The pages of suspected rewrites: admin, views, forms."""
