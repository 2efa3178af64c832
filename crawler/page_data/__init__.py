"""What a page without a text of its own carries in its scripts, or asks for: the text that these would write."""
