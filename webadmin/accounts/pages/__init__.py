"""The pages of accounts: admin, views, forms."""
