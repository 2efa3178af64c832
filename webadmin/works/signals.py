"""Signals about works for the applications that use them, sent within the transaction of the change."""

from django.dispatch import Signal

# Sent when lengths, official times or texts of works changed. works: their keys. texts: ids of changed texts, or None.
works_changed = Signal()
