"""Signals about sites for the applications that use them. Those about pages are sent within the transaction."""

from django.dispatch import Signal

# Sent when the reach of a site has changed. site: the primary key.
reach_changed = Signal()
# Sent when a crawl saw that pages are gone or back. gone, returned: the ids of pages.
pages_came_and_went = Signal()
