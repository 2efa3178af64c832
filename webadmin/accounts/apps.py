"""The Django application of accounts."""

from django.apps import AppConfig
from django.utils.translation import gettext_lazy as _


class AccountsConfig(AppConfig):
    name = "webadmin.accounts"
    verbose_name = _("Rights holders and users")
