"""Writes the tables that are part of the product: readings, near characters, followers, background of meanings."""
