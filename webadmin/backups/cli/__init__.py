"""The commands `backup`, `check-stores` and `holder`."""
