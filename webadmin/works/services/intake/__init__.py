"""Reads works from files in text, Markdown, EPUB, Word, PDF, HTML and JSON lines, and from folders of chapters."""
