"""The Django application of the admin, with the site that is ours."""

from django.contrib.admin import apps as admin_apps
from django.contrib.admin import site
from django.utils.module_loading import autodiscover_modules


class DeskAdminConfig(admin_apps.SimpleAdminConfig):
    default = False  # of this module: the settings name it
    default_site = "webadmin.desk_site.DeskSite"


def register_pages() -> None:
    """Register the lists and forms of every application with the admin: `pages/admin` of each."""
    autodiscover_modules("pages.admin", register_to=site)
