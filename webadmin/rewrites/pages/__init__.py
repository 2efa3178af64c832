"""The list of leads, and the page of a lead."""
