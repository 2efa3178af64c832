"""The pages of cases: admin, views, forms."""
