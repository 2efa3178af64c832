"""The inbox, case, matter, page history and whole book, and the admin classes that combine several applications."""
