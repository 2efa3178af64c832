"""The Django application of the admin, with the product's own admin site."""

from django.contrib.admin import apps as admin_apps
from django.contrib.admin import site
from django.utils.module_loading import autodiscover_modules


class DeskAdminConfig(admin_apps.SimpleAdminConfig):
    default = False  # the settings name it explicitly
    default_site = "webadmin.desk_site.DeskSite"


def register_pages() -> None:
    """Register the lists and forms of all applications with the admin, from `pages/admin` of each."""
    autodiscover_modules("pages.admin", register_to=site)
