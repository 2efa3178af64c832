"""The pages of the reviewer, which combine subjects: inbox, case, matter, page history, whole book."""
