"""The Django application of notices."""

from django.apps import AppConfig
from django.utils.translation import gettext_lazy as _


class NoticesConfig(AppConfig):
    name = "webadmin.notices"
    verbose_name = _("Notices")

    def ready(self) -> None:
        from webadmin.notices.services import enclosed_files  # models can be imported from here on

        enclosed_files.register_notice_files()
