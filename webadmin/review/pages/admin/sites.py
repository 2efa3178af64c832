"""The admin of sites, with their cases, contacts, results of notices, and ignored texts."""

from typing import TYPE_CHECKING, Any

from django.contrib import admin
from django.db.models import F, IntegerField, OuterRef, QuerySet, Subquery, Sum
from django.http import HttpRequest
from django.utils.translation import gettext_lazy as _
from unfold.decorators import display

from webadmin.cases.models import Case, Matter
from webadmin.notices.pages.site_sections import contacts_section, effect_section
from webadmin.review.pages.whole_book_view import books_of_site
from webadmin.sites.models import Site
from webadmin.sites.pages.admin.sites import SiteAdmin
from webadmin.ui.pages.columns import draw_once, list_link

if TYPE_CHECKING:
    from webadmin.sites.pages.admin.sites import SiteWithFigures


@admin.register(Site)
class ReviewedSiteAdmin(SiteAdmin):
    """The admin of sites, with figures about cases and notices."""

    list_display = [*SiteAdmin.list_display, "case_count"]
    readonly_fields = [*SiteAdmin.readonly_fields, "whole_books", "addressee_list", "effect"]

    def get_fieldsets(self, request: HttpRequest, obj: Any = None) -> Any:
        (title, first), *others = super().get_fieldsets(request, obj)
        first = (title, {**first, "fields": [*first["fields"], "whole_books"]})
        if obj is None:
            return [first, *others]
        addressees = (_("Contacts and addressees"), {"fields": ["addressee_list"], "classes": ["tab"]})
        effect = (_("Effect of notices"), {"fields": ["effect"], "classes": ["tab"]})
        return [first, *others[:-1], addressees, effect, others[-1]]

    def with_figures(self, sites: "QuerySet[Site]") -> "QuerySet[SiteWithFigures]":
        matters = Matter.objects.filter(site=OuterRef("pk")).order_by().values("site")
        in_matter = F("open_cases") + F("confirmed_cases") + F("closed_cases")
        total = Subquery(matters.annotate(n=Sum(in_matter)).values("n"), output_field=IntegerField())
        return super().with_figures(sites).annotate(cases_total=total)

    @draw_once
    @display(description=_("addressees"))
    def addressee_list(self, site: Site) -> object:
        return contacts_section(site, is_managed=vars(site).get("is_managed", False))

    @draw_once
    @display(description=_("notices"))
    def effect(self, site: Site) -> object:
        return effect_section(site)

    @display(description=_("cases"))
    def case_count(self, site: Any) -> object:
        return list_link(Case, site.cases_total, site__id__exact=site.pk) if site.cases_total else 0

    @display(description=_("whole books"))
    def whole_books(self, site: Site) -> object:
        return books_of_site(site)
