"""Subtracts excluded passages, noise on the site and ignored texts from findings.

The frozen evidence contains the original findings. The excluded positions are stored separately.
"""

from collections import defaultdict
from collections.abc import Mapping
from dataclasses import dataclass, replace

from django.db.models import Q

from core.counting import MatchSides, TextLetters, deduct_excluded
from core.ids import WorkTextId
from core.matches import Match
from core.pages import Reading
from core.ports import WorkTexts
from core.taken import NO_PLACES, Places, unite_places
from core.zones import Zone
from webadmin.cases.models import ExcludedPassage, IgnoredText
from webadmin.cases.services.findings import Findings
from webadmin.sites.models import Site

# Fewer characters are remainders at the edges of passages, because the matcher finds no passage that small.
LEAST_LEFT_CHARS = 20


@dataclass(frozen=True, slots=True)
class CountedFindings:
    """Findings reduced to what counts. left_out: the excluded positions by text id, for texts that have any."""

    findings: Findings
    left_out: dict[str, Places]


class FindingCounter:
    """Computes which findings of pages count. It reads the exclusions once, and only texts that they affect.

    pages: the sites of the pages, by page id. works: the texts of works.
    """

    def __init__(self, pages: Mapping[str, Site], works: WorkTexts) -> None:
        self._works = works
        self._ignored: dict[tuple[int, int | None], list[TextLetters]] = defaultdict(list)
        self._passages: dict[tuple[str, int], list[ExcludedPassage]] = defaultdict(list)
        self._letters: dict[WorkTextId, TextLetters] = {}
        self._of_pages: dict[str, TextLetters] = {}
        if not pages:
            return
        sites = {site.pk: site.rights_holder_id for site in pages.values()}
        of_them = Q(site__in=sites) | Q(site=None, rights_holder__in=set(sites.values()))
        rows = IgnoredText.objects.filter(of_them, withdrawn_at=None).order_by("pk")
        for holder, site, text in rows.values_list("rights_holder_id", "site_id", "text"):
            self._ignored[holder, site].append(TextLetters.from_text(text))
        of_pages = ExcludedPassage.objects.filter(case__page__in=list(pages), withdrawn_at=None).select_related("case")
        for passage in of_pages:
            self._passages[passage.case.page_id, passage.case.work_id].append(passage)

    def count(self, findings: Findings, page_id: str, site: int | None, reading: Reading) -> CountedFindings:
        """Return the findings of a page reduced to what counts.

        site: the key of the page's site, or None to count ignored texts too. reading: the text of the page version.
        """
        holder = findings.work.rights_holder_id
        noise, never = list[TextLetters](), list[TextLetters]()
        if site is not None:
            noise, never = self._ignored.get((holder, site), []), self._ignored.get((holder, None), [])
        passages = self._passages.get((page_id, findings.work.pk), [])
        if not (noise or never or passages):
            return CountedFindings(findings, {})
        without = [TextLetters.from_text(passage.text) for passage in passages if passage.text]
        whole = {passage.text_id for passage in passages if passage.text_id}
        items, left_out = [], {}
        for chapter, match in findings.items:
            work = self._work_letters(match.text_id)
            is_main = all(span.zone is Zone.MAIN for span in match.spans)
            page = self._page_letters(reading.text if is_main else reading.whole_text)
            gone = Places.from_starts(work.places) if match.text_id in whole else work.find([*never, *without])
            left = deduct_excluded(match, MatchSides(page, work, page.find(noise), gone))
            items.append((chapter, left))
            if left is not match:
                left_out[str(match.text_id)] = Places(match.taken.bits & ~left.taken.bits)
        found = replace(findings, items=tuple(items))
        if left_out and found.matched_chars < LEAST_LEFT_CHARS:
            return _count_nothing(findings)
        return CountedFindings(found, left_out)

    def _work_letters(self, text_id: WorkTextId) -> TextLetters:
        if text_id not in self._letters:
            self._letters[text_id] = TextLetters.from_text(self._works.text(text_id) or "")
        return self._letters[text_id]

    def _page_letters(self, text: str) -> TextLetters:
        if text not in self._of_pages:
            self._of_pages[text] = TextLetters.from_text(text)
        return self._of_pages[text]


def _count_nothing(findings: Findings) -> CountedFindings:
    """Return the findings with all positions excluded."""
    left_out = {str(match.text_id): match.taken for match in findings.matches}
    items = tuple((chapter, _drop_taken(match)) for chapter, match in findings.items)
    return CountedFindings(replace(findings, items=items), left_out)


def _drop_taken(match: Match) -> Match:
    return replace(
        match, similarity=0.0, page_containment=0.0, work_containment=0.0, matched_chars=0, taken=NO_PLACES,
        longest_equal_run_chars=0,
    )  # fmt: skip


def all_found_places(places: bytes, left_out: bytes) -> Places:
    """Return the positions in both packed values, which are all found positions, whether they count or not."""
    return unite_places(Places.unpack(data) for data in (places, left_out) if data)
