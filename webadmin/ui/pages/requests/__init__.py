"""Checks what a request may carry and what a response may show, for every page of the desk."""
