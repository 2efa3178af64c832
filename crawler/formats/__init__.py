"""Reads whole books from the files of rights holders and the downloads of sites: title, author, chapters."""
