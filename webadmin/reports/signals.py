"""Signals with which reports query higher-level apps."""

from django.dispatch import Signal

# Sent when the dashboard is rendered. user: the reader. Receivers return tiles.
tiles_wanted = Signal()
