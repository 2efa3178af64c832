"""The rules of notices: addressees, drafts, files, mails, outcomes, deadlines and removals."""
