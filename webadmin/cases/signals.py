"""Signals about cases for the applications that use them. Those about rights are sent within the transaction."""

from django.dispatch import Signal

# Sent when a text is no longer in any work. text: the id of the text.
text_withdrawn = Signal()
# Sent when the findings of a rights holder are ruled on again. holder: the key of the rights holder.
rights_ruled = Signal()
# Sent when the sweep begins.
sweep_began = Signal()
# Sent when the sweep has ended and no page waits for a comparison.
sweep_ended = Signal()
