"""The rights holder's desk, in Django's admin: lists, forms and pages of what `records` knows."""
