"""The Django application of the user interface."""

from django.apps import AppConfig
from django.utils.translation import gettext_lazy as _


class UiConfig(AppConfig):
    name = "webadmin.ui"
    verbose_name = _("User interface")
