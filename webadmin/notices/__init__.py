"""Notices: addressees, drafts, mail, deadlines, and whether pages were removed."""
