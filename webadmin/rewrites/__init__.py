"""Suspected rewrites and translations of works."""
