"""Word, PDF and plain-text documents, written from one document model and read back into it.

The package takes values and returns bytes. Nothing in a value is interpreted as markup, a field, a link or a formula.
"""
