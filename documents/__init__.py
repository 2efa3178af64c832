"""Writes documents as Word, PDF and plain text from one document model, and reads Word files into it.

Text in the model is never interpreted as markup, a field, a link or a formula.
"""
