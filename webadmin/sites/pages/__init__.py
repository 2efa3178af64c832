"""The pages of sites: admin, views, forms."""
