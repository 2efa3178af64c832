"""Signals by which reports query higher apps."""

from django.dispatch import Signal

# The dashboard is rendered. user: its reader; receivers return tiles.
tiles_wanted = Signal()
