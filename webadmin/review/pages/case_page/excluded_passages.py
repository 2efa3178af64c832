"""The passages and texts that are excluded from a case or can be excluded, for the case page."""

import re
from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from django.urls import reverse

from core.counting import TextLetters, count_characters
from core.matches import ChangeKind
from core.taken import NO_PLACES, Places
from core.text import TextRange
from webadmin.cases.models import Case, CaseMatch, ExcludedPassage, Overruling, TakenText
from webadmin.cases.services.ignoring import LEAST_LETTERS, may_withdraw_text
from webadmin.cases.services.opposites import opposite_ranges
from webadmin.review.pages.case_page.comparison import PageComparison, sort_spans

BEGINNING_CHARS = 24  # characters that suffice to recognize a passage
MAX_PASSAGES_OFFERED, MAX_NOISE_OFFERED, MAX_IGNORED_SHOWN = 200, 8, 20
MAX_PIECES = 50  # pieces listed for a partly excluded passage
_STRETCH = re.compile("1(?:0{0,2}1)*")  # includes the punctuation between its letters


@dataclass(frozen=True, slots=True)
class OfferedPassage:
    """A passage of the comparison that can be excluded.

    is_out, is_partly_out: whether it is excluded completely or in part.
    """

    number: int
    begins: str
    chars: int
    is_out: bool
    is_partly_out: bool
    pieces: tuple[tuple[str, str], ...] = ()  # of a partly excluded passage: the excluded texts of work and page


def left_out_context(case: Case, match: CaseMatch, comparison: PageComparison, user: Any) -> dict[str, Any]:
    """Return the template context of the section on excluded passages for a match and a user."""
    counting, gone = _counted_places(match)
    passages = _offered_passages(match, counting, gone)
    known = [*case.excluded_passages.select_related("entered_by", "withdrawn_by")]
    ignored = case.page.site.ignored_texts.filter(withdrawn_at=None).select_related("entered_by")
    overruled = Overruling.objects.filter(page=case.page_id, work=case.work_id).select_related("entered_by")
    return {
        "passages": passages,
        "out": " ".join(str(each.number) for each in passages if each.is_out),
        "partly_out": " ".join(str(each.number) for each in passages if each.is_partly_out),
        "pieces": [(each.number, work, page) for each in passages for work, page in each.pieces],
        "known": known,
        "found_chars": len(counting) + len(gone),
        "counting_chars": len(counting),
        "share_of_chapter": match.work_containment
        * (len(counting) / (len(counting) + len(gone)) if gone.bits else 1.0),
        "reasons": ExcludedPassage.Reason.choices,
        "noise": _likely_noise(comparison),
        "ignored": [(each, may_withdraw_text(each, user)) for each in ignored[:MAX_IGNORED_SHOWN]],
        "ignored_address": f"{reverse('admin:cases_ignoredtext_changelist')}?site__id__exact={case.page.site_id}",
        "overrulings": list(overruled),
        "address": reverse("admin:cases_case_passages", args=[case.pk]),
    }


def passage_text(match: CaseMatch, number: int) -> str:
    """Return the work's text in the passage with this number, or "" for an unknown number."""
    ordered = sort_spans(match.spans)
    return str(ordered[number - 1]["work_excerpt"]) if 0 < number <= len(ordered) else ""


def _counted_places(match: CaseMatch) -> tuple[Places, Places]:
    """Return the counted and the excluded positions in the work's text.

    Both are empty if the match is not in the case's current version.
    """
    taken = TakenText.objects.filter(case=match.case_id, text_id=match.text_id).first()
    if taken is None or match.version_id != match.case.version_id:
        return NO_PLACES, NO_PLACES
    left_out = bytes(taken.left_out)
    return Places.unpack(bytes(taken.places)), Places.unpack(left_out) if left_out else NO_PLACES


def _offered_passages(match: CaseMatch, counting: Places, gone: Places) -> list[OfferedPassage]:
    offered = []
    for number, span in enumerate(sort_spans(match.spans)[:MAX_PASSAGES_OFFERED], 1):
        place = TextRange(*span["work"])
        lost, left = gone.count_range(place), counting.count_range(place)
        text = " ".join(span.get("work_excerpt", "").split())
        begins = text if len(text) <= BEGINNING_CHARS else f"{text[:BEGINNING_CHARS]}…"
        is_partly = lost > 0 and left > 0
        pieces = tuple(_excluded_pieces(span, gone)) if is_partly else ()
        chars = count_characters(span.get("work_excerpt", ""))
        offered.append(OfferedPassage(number, begins, chars, lost > 0 and not left, is_partly, pieces))
    return offered


def _excluded_pieces(span: Mapping[str, Any], gone: Places) -> Iterator[tuple[str, str]]:
    """Yield the excluded pieces of a passage, in the wording of the work and of the page."""
    (start, end), page_start = span["work"], span["page"][0]
    flags = f"{gone.bits >> start & ((1 << end - start) - 1):b}"[::-1]  # one flag for each character
    stretches = [(start + found.start(), start + found.end()) for found in _STRETCH.finditer(flags)]
    for first, last in stretches[:MAX_PIECES]:
        on_page = opposite_ranges(span, TextRange(first, last), "work")
        page = "…".join(span["page_excerpt"][each.start - page_start : each.end - page_start] for each in on_page)
        yield span["work_excerpt"][first - start : last - start], page


def _likely_noise(comparison: PageComparison) -> list[tuple[str, int]]:
    """Return texts that the page inserted into passages, with their counts. Frequent ones are probably noise."""
    found = Counter(link.page for link in comparison.links if link.kind is ChangeKind.INSERTED)
    likely = [(text, count) for text, count in found.most_common() if len(TextLetters.from_text(text)) >= LEAST_LETTERS]
    return likely[:MAX_NOISE_OFFERED]
