"""Papers: templates of Word, what the law asks for, comparison tables, PDF."""
