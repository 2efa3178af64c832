"""Papers that a rights holder sends or hands in: which fields the law asks for, templates of Word, and PDF.

Pure: it is given values and gives bytes. Nothing in a value is ever read as markup, field, link or formula.
"""
