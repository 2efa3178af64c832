"""The Django application of sites."""

from django.apps import AppConfig
from django.utils.translation import gettext_lazy as _


class SitesConfig(AppConfig):
    name = "webadmin.sites"
    label = "watched_sites"  # `sites` is the label of a Django application
    verbose_name = _("Sites")
