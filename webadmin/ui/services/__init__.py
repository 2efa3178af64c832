"""Moments that lie ahead of the clock, and how much one request may carry."""
