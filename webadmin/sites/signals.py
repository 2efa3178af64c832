"""Signals of sites to the applications above them. Those about pages are sent inside the transaction of the change."""

from django.dispatch import Signal

# How many people a site reaches is another. site: its key.
reach_changed = Signal()
# A crawl saw which pages are gone and which are back. gone, returned: the ids of pages.
pages_came_and_went = Signal()
