"""The Django application."""

from django.apps import AppConfig
from django.utils.translation import gettext_lazy as _


class WebadminConfig(AppConfig):
    name = "webadmin"
    verbose_name = _("Copyright tracking")
    default_auto_field = "django.db.models.BigAutoField"

    def ready(self) -> None:
        from webadmin.rights import watch_rights

        watch_rights()
