"""Matters found by what was typed: address, case number, title, author, site, work or chapter, in both scripts."""

from functools import reduce
from operator import or_

from django.contrib import admin
from django.db.models import Q, QuerySet
from django.http import HttpRequest

from records import access
from records.models import Case, Chapter, Matter, MatterText
from webadmin.searching import written_ways

# Chapters whose titles are looked at further: a word that stands in more of them names none.
MAX_CHAPTERS = 2_000


def found_by_words(request: HttpRequest, matters: "QuerySet[Matter]", typed: str) -> "QuerySet[Matter]":
    """Those of `matters` of which the site, the work, a chapter, or a case as its list finds it, has the words."""
    named = reduce(or_, (_named(words) for words in written_ways(typed)))
    seen = access.visible(Case.objects.order_by("-opened_at", "-pk"), request.user)
    cases, _ = admin.site._registry[Case].get_search_results(request, seen, typed)
    chapters = reduce(or_, (Q(title__icontains=words) for words in written_ways(typed)))
    titled = access.visible(Chapter.objects.filter(chapters), request.user).order_by().values_list("work", "text_id")
    found = list(titled[:MAX_CHAPTERS])
    of_chapters = MatterText.objects.filter(  # another work may have the text under another title
        text_id__in={text for _, text in found}, matter__work__in={work for work, _ in found}
    )
    return matters.filter(
        named | Q(pk__in=cases.values("matter_id")) | Q(pk__in=of_chapters.order_by().values("matter_id"))
    )


def _named(words: str) -> Q:
    return Q(site__name__icontains=words) | Q(work__title__icontains=words) | Q(work__author__icontains=words)
