"""Notices: addressees, drafts, mail, deadlines, and removals of pages."""
