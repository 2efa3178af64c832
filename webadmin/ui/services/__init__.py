"""Corrects times in the future, and sets the limits of a request."""
