"""The admin list of leads, and the page of a lead."""
