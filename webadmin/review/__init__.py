"""The reviewers' pages, which combine several applications: inbox, case, matter, page history, whole book."""
