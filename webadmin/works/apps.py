"""The Django application of works."""

from django.apps import AppConfig
from django.utils.translation import gettext_lazy as _


class WorksConfig(AppConfig):
    name = "webadmin.works"
    verbose_name = _("Works and rights")
