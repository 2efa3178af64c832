"""The order in which a reader reads a text that was written in another one, or with characters strewn in."""
