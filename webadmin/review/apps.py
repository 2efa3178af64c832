"""The Django application of review."""

from django.apps import AppConfig
from django.utils.translation import gettext_lazy as _


class ReviewConfig(AppConfig):
    name = "webadmin.review"
    verbose_name = _("Review")
