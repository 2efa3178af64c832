"""Measures detection on made and natural cases: a generator of pirate edits, cases with exact truth, scores."""
