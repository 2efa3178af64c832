"""Links to the whole books of a work or a site, those with most pages first."""

from django.db.models import Count
from django.urls import reverse
from django.utils.html import format_html, format_html_join
from django.utils.safestring import SafeString
from django.utils.translation import ngettext

from core.hidden_characters import clip_text
from core.states import COPIES
from webadmin.cases.models import Case
from webadmin.sites.models import Site
from webadmin.ui.pages.columns import MAX_SITE_CHARS, NOTHING
from webadmin.works.models import Work

MOST = 30  # links; the list of cases has all


def book_address(work_id: int, site_id: int) -> str:
    return reverse("admin:works_work_book", args=[work_id, site_id])


def books_of_work(work: Work) -> SafeString | str:
    """Return links to the work on each site that copied from it."""
    counted = Case.objects.filter(work=work, state__in=COPIES).order_by().values("site_id", "site__name")
    rows = counted.annotate(n=Count("pk")).order_by("-n", "site__name")[:MOST]
    return _links([(book_address(work.pk, row["site_id"]), row["site__name"], row["n"]) for row in rows])


def books_of_site(site: Site) -> SafeString | str:
    """Return links to each work that the site copied from."""
    counted = Case.objects.filter(site=site, state__in=COPIES).order_by().values("work_id", "work__title")
    rows = counted.annotate(n=Count("pk")).order_by("-n", "work__title")[:MOST]
    return _links([(book_address(row["work_id"], site.pk), f"《{row['work__title']}》", row["n"]) for row in rows])


def _links(rows: list[tuple[str, str, int]]) -> SafeString | str:
    if not rows:
        return NOTHING
    shown = (
        (
            address,
            clip_text(name, MAX_SITE_CHARS),
            ngettext("%(count)d page", "%(count)d pages", count) % {"count": count},
        )
        for address, name, count in rows
    )
    return format_html(
        "<ul>{}</ul>", format_html_join("", '<li><a class="text-link" href="{}">{}</a> · {}</li>', shown)
    )
