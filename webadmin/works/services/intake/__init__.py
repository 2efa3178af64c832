"""Reads works from a rights holder's files: text, Markdown, EPUB, Word, HTML, JSON lines, folders."""
