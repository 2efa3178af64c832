"""The pages of backups: admin, views, forms."""
