"""What cases tell the applications above them."""

from django.dispatch import Signal

# The sweep begins. is_idle: whether no page waits for a comparison.
sweep_began = Signal()
