"""Signals by which reports ask the applications above them."""

from django.dispatch import Signal

# The dashboard is drawn. user: for whom; receivers give tiles.
tiles_wanted = Signal()
