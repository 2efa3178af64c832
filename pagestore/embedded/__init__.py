"""The embedded page store: a process that answers as MongoDB does, on a Unix socket that one user alone can open.

Run as `python -m pagestore.embedded --data-dir FOLDER --socket PATH`. What it is asked, nx-27017's handler does; who
may ask, and how much of its memory all that ask may hold together, is decided here.
"""
