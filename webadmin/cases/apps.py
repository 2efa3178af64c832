"""The Django application of cases."""

from django.apps import AppConfig
from django.utils.translation import gettext_lazy as _


class CasesConfig(AppConfig):
    name = "webadmin.cases"
    verbose_name = _("Cases")

    def ready(self) -> None:
        from webadmin.cases.services import receivers  # Models can be imported from here on.

        receivers.connect()
