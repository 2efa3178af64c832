"""Signals of works to the applications above them, sent inside the transaction of the change."""

from django.dispatch import Signal

# Lengths, official times or texts of works are others. works: their keys; texts: the ids of those concerned, or None.
works_changed = Signal()
