"""Searches matters by URL, case number, title, author, site, work or chapter, in both scripts."""

from functools import reduce
from operator import and_

from django.contrib import admin
from django.db.models import Q, QuerySet
from django.http import HttpRequest

from webadmin.accounts.pages.searching import has_words, having, split_words, written_ways
from webadmin.accounts.services import access
from webadmin.cases.models import Case, Matter, MatterText
from webadmin.sites.models import Site
from webadmin.works.models import Chapter, Work

# A word in the titles of more chapters ("第一章") selects none: with 2,000 the query took 0.1 s (2026-11-27).
MAX_CHAPTERS = 1_000


def search_matters(request: HttpRequest, matters: "QuerySet[Matter]", typed: str) -> "QuerySet[Matter]":
    """Return those of `matters` whose site, work, a chapter or a case (by the search of its list) has the words."""
    named = [_sites_and_works(written_ways(word), request.user) for word in split_words(typed)]
    seen = access.visible(Case.objects.order_by("-opened_at", "-pk"), request.user)
    cases, _ = admin.site._registry[Case].get_search_results(request, seen, typed)
    found = _with_chapter(typed, request.user)
    for matter, site, work in cases.order_by().values_list("matter_id", "site_id", "work_id"):
        if not all(site in sites or work in works for sites, works in named):  # sites and works match thousands by name
            found.add(matter)
    by_name = reduce(and_, (Q(site__among=sites) | Q(work__among=works) for sites, works in named))
    return matters.filter(by_name | Q(pk__among=found))


def _sites_and_works(ways: list[str], user: access.Person) -> tuple[set[int], set[int]]:
    """Return the sites and works with a word in their names."""
    return set(having(Site, ["name"], ways, user)), set(having(Work, ["title", "author"], ways, user))


def _with_chapter(typed: str, user: access.Person) -> set[int]:
    """Return the keys of matters with a chapter of this title; another work may have its text under another title."""
    titled = Chapter.objects.filter(has_words(["title"], written_ways(typed)))
    chapters = access.visible(titled, user).order_by().values_list("work_id", "text_id")
    found = set(chapters[: MAX_CHAPTERS + 1])
    if len(found) > MAX_CHAPTERS:
        return set()
    copied = MatterText.objects.filter(text_id__among={text for _, text in found}).order_by()
    rows = copied.values_list("matter_id", "matter__work_id", "text_id")
    return {matter for matter, work, text in rows if (work, text) in found}
