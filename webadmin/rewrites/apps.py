"""The Django application of suspected rewrites."""

from django.apps import AppConfig
from django.utils.translation import gettext_lazy as _


class RewritesConfig(AppConfig):
    name = "webadmin.rewrites"
    verbose_name = _("Rewrites and translations")

    def ready(self) -> None:
        from webadmin.rewrites.services import due_searches  # Models can be imported from here on.

        due_searches.connect()
