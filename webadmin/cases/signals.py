"""Signals of cases for higher-level apps. Signals about rights are sent in the transaction of the change."""

from django.dispatch import Signal

# Sent when a text is no longer in any work. text: the text's id.
text_withdrawn = Signal()
# Sent when a rights holder's findings are ruled on again. holder: the holder's key.
rights_ruled = Signal()
# Sent when the sweep begins.
sweep_began = Signal()
# Sent when the sweep has ended and no page waits for a comparison.
sweep_ended = Signal()
