"""Signals with which reports request data from higher-level apps."""

from django.dispatch import Signal

# Sent when the dashboard is rendered. user: the user who sees it. Receivers return tiles.
tiles_wanted = Signal()
