"""The inbox, case, matter, page history and whole book, and lists and forms that combine several applications."""
