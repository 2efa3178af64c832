"""Data of pages without a text of their own, in their scripts or requested by them: the text that these would write."""
