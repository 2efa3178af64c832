"""Fills a database of any size, requests the pages of the desk like a browser, and times them.

Imported after Django is set up.
"""
