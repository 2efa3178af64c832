"""Notices: what may be sent about which pages, with what it is filled, and the files that it becomes."""
