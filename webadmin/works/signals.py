"""Signals of works to the applications above them, sent inside the transaction of the change."""

from django.dispatch import Signal

# Lengths, official times or texts of works have changed. works: their keys; texts: ids of changed texts, or None.
works_changed = Signal()
