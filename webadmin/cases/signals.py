"""What cases tell the applications above them. Of rights it is told inside the transaction of the change."""

from django.dispatch import Signal

# No work has this text any more. text: its id.
text_withdrawn = Signal()
# The findings of a rights holder are ruled anew. holder: its key.
rights_ruled = Signal()
# The sweep begins.
sweep_began = Signal()
# The sweep has ended, and no page waits for a comparison.
sweep_ended = Signal()
