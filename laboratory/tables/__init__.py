"""Writes the tables that the product carries: readings, near characters, followers, the background of meanings."""
