"""Notices: addressees, drafts, mails, deadlines, and removals of pages."""
