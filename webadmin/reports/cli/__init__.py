"""The verbs `report` and `matter`."""
