"""The pages of works: lists, forms, uploads, rights, chapters and official times."""
