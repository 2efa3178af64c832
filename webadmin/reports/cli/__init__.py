"""The commands `report` and `matter`."""
