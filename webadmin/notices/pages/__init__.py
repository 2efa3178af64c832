"""The admin pages about notices: drafts and outcomes, addressees, documents, templates, and due items."""
