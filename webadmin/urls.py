"""The URL patterns of the web server; importing this module registers the admin's lists and forms."""

from django.contrib import admin
from django.templatetags.static import static
from django.urls import include, path
from django.views.generic import RedirectView

from webadmin.accounts.pages.profile import profile_view
from webadmin.apps import register_pages
from webadmin.evidence.pages.factors_view import matter_factors_view
from webadmin.evidence.pages.proofs_view import matter_proofs_view
from webadmin.reports.pages.court_file_view import matter_export_view
from webadmin.reports.pages.report_page import report_view
from webadmin.review.pages.inbox.matter_view import damages_view, matter_view

register_pages()

handler400 = "webadmin.ui.pages.errors.bad_request"
handler403 = "webadmin.ui.pages.errors.forbidden"
handler404 = "webadmin.ui.pages.errors.not_found"
handler500 = "webadmin.ui.pages.errors.broken"

urlpatterns = [
    path("i18n/", include("django.conf.urls.i18n")),
    path("admin/reports/", admin.site.admin_view(report_view), name="webadmin_reports"),
    path("admin/matters/<int:key>/", admin.site.admin_view(matter_view), name="webadmin_matter"),
    path("admin/matters/<int:key>/proofs/", admin.site.admin_view(matter_proofs_view), name="webadmin_matter_proofs"),
    path(
        "admin/matters/<int:key>/factors/", admin.site.admin_view(matter_factors_view), name="webadmin_matter_factors"
    ),
    path("admin/matters/<int:key>/damages/", admin.site.admin_view(damages_view), name="webadmin_matter_damages"),
    path("admin/matters/<int:key>/export/", admin.site.admin_view(matter_export_view), name="webadmin_matter_export"),
    path("admin/profile/", admin.site.admin_view(profile_view), name="webadmin_profile"),
    path("admin/", admin.site.urls),
    # Browsers request this path for responses without the product's HTML head, such as errors.
    path("favicon.ico", RedirectView.as_view(url=static("ui/favicon.svg"))),
    path("", RedirectView.as_view(pattern_name="admin:index")),
]
