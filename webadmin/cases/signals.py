"""Signals of cases for the apps above them. Those about rights are sent in the transaction of the change."""

from django.dispatch import Signal

# A text is no longer in any work. text: its id.
text_withdrawn = Signal()
# The findings of a rights holder are being ruled again. holder: its key.
rights_ruled = Signal()
# The sweep begins.
sweep_began = Signal()
# The sweep has ended, and no page waits for a comparison.
sweep_ended = Signal()
