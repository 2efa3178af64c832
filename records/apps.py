"""The Django application of what is known and decided."""

from django.apps import AppConfig
from django.utils.translation import gettext_lazy as _


class RecordsConfig(AppConfig):
    name = "records"
    verbose_name = _("Copyright tracking")
    default_auto_field = "django.db.models.BigAutoField"

    def ready(self) -> None:
        from records.cases.rulings import watch_rights  # models are there from now on

        watch_rights()
