"""The Django application of backups."""

from django.apps import AppConfig
from django.utils.translation import gettext_lazy as _


class BackupsConfig(AppConfig):
    name = "webadmin.backups"
    verbose_name = _("Backups and checks")
