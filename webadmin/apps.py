"""App configurations of the admin and of django-axes, and the registration of the admin's lists and forms."""

from axes.apps import AppConfig as AxesConfig
from django.contrib.admin import apps as admin_apps
from django.contrib.admin import site
from django.utils.module_loading import autodiscover_modules
from django.utils.translation import gettext_lazy as _


class ZhuiwenAdminConfig(admin_apps.SimpleAdminConfig):
    default = False  # The settings name the configuration explicitly.
    default_site = "webadmin.admin_site.ZhuiwenAdminSite"


class LoginGuardConfig(AxesConfig):
    verbose_name = _("Login security")


def register_pages() -> None:
    """Import `pages.admin` of every application, which registers its lists and forms with the admin site."""
    autodiscover_modules("pages.admin", register_to=site)
