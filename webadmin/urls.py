"""The addresses of the web side."""

from django.contrib import admin
from django.urls import include, path
from django.views.generic import RedirectView

from webadmin.views.reports import report_view

urlpatterns = [
    path("i18n/", include("django.conf.urls.i18n")),
    path("admin/reports/", admin.site.admin_view(report_view), name="webadmin_reports"),
    path("admin/", admin.site.urls),
    path("", RedirectView.as_view(pattern_name="admin:index")),
]
