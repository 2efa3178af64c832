"""The verbs `backup`, `check-stores` and `holder`."""
