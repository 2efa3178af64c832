"""Requests and answers: which addresses may be asked, within which bounds, and what is taken down of each."""
