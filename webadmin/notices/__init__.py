"""The desk of notices: drafting, filling, looking at what will leave the house, confirming."""
