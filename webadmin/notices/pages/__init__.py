"""The pages about notices: drafts and outcomes, addressees, papers, templates, and due items."""
