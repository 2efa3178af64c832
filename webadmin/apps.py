"""The Django applications of the desk: its pages, and the admin with the site that is ours."""

from django.contrib.admin import apps as admin_apps


class DeskAdminConfig(admin_apps.SimpleAdminConfig):
    default = False  # of this module: the settings name it
    default_site = "webadmin.desk_site.DeskSite"
