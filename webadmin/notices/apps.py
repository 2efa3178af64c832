"""The Django application of notices."""

from django.apps import AppConfig
from django.utils.translation import gettext_lazy as _


class NoticesConfig(AppConfig):
    name = "webadmin.notices"
    verbose_name = _("Notices")

    def ready(self) -> None:
        from webadmin.notices.services import registration  # models are there from now on

        registration.register()
