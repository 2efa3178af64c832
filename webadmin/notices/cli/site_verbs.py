"""The verbs of notices below `site`."""

from webadmin.notices.cli.site_contacts import contacts
from webadmin.notices.cli.site_effect import effect

VERBS = {"contacts": contacts, "effect": effect}
