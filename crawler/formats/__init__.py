"""Reads whole books from files of rights holders and from downloads of sites: title, author, chapters."""
