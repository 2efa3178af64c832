"""Computes findings, which are the passages that a page copied from one work, and freezes them in cases as JSON.

The JSON contains plain lists and numbers, which any later version can read.

Quotations name their source. The matcher does not know authors and classifies an unmarked passage of more than a
sentence as an excerpt. A title or author next to it marks a quotation as quotation marks do, within the same limits
(matcher.calibration, docs/decisions/matching.md). Article 24 of the Copyright Law of China requires both names.
"""

import re
import unicodedata
from collections import defaultdict
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any

from core.errors import NotFound
from core.ids import digest
from core.marks import RawPlaces
from core.matches import Change, ChangeKind, Match, MatchClass, Span
from core.obfuscations import Obfuscation, ObfuscationFound
from core.pages import PageVersion, Reading
from core.ports import ComparisonOutcome
from core.shares import cut_share
from core.states import Rejection
from core.text import TextRange
from core.zones import Zone
from webadmin.sites.models import Site
from webadmin.sites.models.site import site_key
from webadmin.ui.models.fields import with_length_kept
from webadmin.works.models import Chapter, Work
from webadmin.works.services.aliases import names_of_author

MAX_TITLE_CHARS, MAX_AUTHOR_CHARS = 500, 200
EXCERPT_CHARS = 80  # characters in one line of a list
REACH_CHARS = 40  # enough for a title and a name with their introduction; chosen, the matcher searches 30 for a title
MIN_NAME_CHARS = 2
_NO_COPIES = (MatchClass.QUOTATION, MatchClass.TEASER)
_NO_ALTERATIONS = {str(Obfuscation.SLOW_PARTS)}  # which concerns the reading time and not the text
# A name may be a common word (江南), so only words such as "by" or "wrote" next to it make it an author.
_INTRODUCES = r"(?:作\s?者|作\s?家|出\s?自|摘\s?自|引\s?自|选\s?自|選\s?自|[—―-]{1,2}|文\s?[/／])[\s:：]{0,2}"
_WRITES = r"\s?(?:在\s?《|的\s?《|《|曾?\s?(?:写|寫)|(?:所)?著|笔下|筆下)"


@dataclass(frozen=True)
class Findings:
    """The matches of a page with one work. Each matched text occurs once, with the first chapter that contains it.

    source: the title or author that the page names, if all matches are quotations, or "".
    """

    work: Work
    items: tuple[tuple[Chapter, Match], ...]
    source: str = ""

    @cached_property
    def matches(self) -> list[Match]:
        return [match for _, match in self.items]

    @cached_property
    def matched_chars(self) -> int:
        return sum(match.matched_chars for match in self.matches)

    @cached_property
    def rejection(self) -> Rejection | None:
        """The reason why the findings are no case regardless of rights, or None."""
        if self.copies:
            return None
        is_quoted = any(match.match_class is MatchClass.QUOTATION for match in self.matches)
        return Rejection.QUOTATION if is_quoted else Rejection.TEASER

    @cached_property
    def copies(self) -> list[Match]:
        """The matches that are neither quotations nor teasers."""
        return [match for match in self.matches if match.match_class not in _NO_COPIES]

    @cached_property
    def main(self) -> Match:
        """The largest copy, or the largest match if there is no copy."""
        return max(self.copies or self.matches, key=lambda match: match.matched_chars)


@dataclass(frozen=True, slots=True)
class TextKey:
    """The identity of a copied text, for which a site has one case regardless of the number of URLs.

    A text with inserted words is different evidence from the plain text, and a right may belong to an account. account:
    the poster that the page names, or else the author.
    """

    site: int
    work: int
    text_digest: str
    account: str
    alterations: frozenset[str]


@dataclass(frozen=True, slots=True)
class OutcomeFindings:
    """The outcome of a comparison, with its findings for the rights holder who watches the site."""

    outcome: ComparisonOutcome
    site: Site
    findings: list[Findings]
    keys: list[TextKey]  # the keys of the findings, in the same order
    rejection: str  # the reason why the page has no findings, or ""
    is_whole: bool  # False if a matched text was withdrawn meanwhile


def collect_findings(outcomes: Sequence[ComparisonOutcome]) -> list[OutcomeFindings]:
    """Return the outcomes with their findings, in the same order. Raises NotFound for an unknown site."""
    keys = {outcome.version.site_id: site_key(outcome.version.site_id) for outcome in outcomes}
    sites = Site.objects.select_related("rights_holder").in_bulk(list(set(keys.values())))
    for name, key in keys.items():
        if key not in sites:
            raise NotFound("site", name)
    chapters = _chapters_by_text(outcomes, {site.rights_holder_id for site in sites.values()})
    found, sources = [], SourceNames()
    for outcome in outcomes:
        site = sites[keys[outcome.version.site_id]]
        owned = _owned_chapters(outcome.matches, chapters, site.rights_holder_id)
        is_whole = {match.text_id for match in outcome.matches} <= {chapter.text_id for chapter in owned}
        version = outcome.version
        findings = [name_sources(each, version.reading, sources) for each in group_by_work(owned, outcome.matches)]
        texts = _text_keys(site, version, findings)
        rejection = outcome.rejection or ("" if findings else Rejection.NO_MATCH)
        found.append(OutcomeFindings(outcome, site, findings, texts, str(rejection), is_whole))
    return found


def _text_keys(site: Site, version: PageVersion, findings: Iterable[Findings]) -> list[TextKey]:
    alterations = frozenset(map(str, (each.kind for each in version.reading.obfuscations))) - _NO_ALTERATIONS
    author = stated_author(version)
    return [
        TextKey(
            site.pk, each.work.pk, compared_text(version, each.main)[1],
            stated_poster(version, each.matches) or author, alterations,
        )
        for each in findings
    ]  # fmt: skip


def altered_kinds(kinds: str) -> frozenset[str]:
    """Return those of the stored obfuscation kinds that change a text."""
    return frozenset(kinds.split()) - _NO_ALTERATIONS


def _chapters_by_text(outcomes: Iterable[ComparisonOutcome], holders: Collection[int]) -> dict[str, list[Chapter]]:
    texts = {match.text_id for outcome in outcomes for match in outcome.matches}
    chapters: dict[str, list[Chapter]] = defaultdict(list)
    if texts:
        rows = Chapter.objects.filter(text_id__in=texts, work__rights_holder__in=holders).select_related("work")
        for chapter in rows:
            chapters[chapter.text_id].append(chapter)
    return chapters


def _owned_chapters(matches: Iterable[Match], chapters: dict[str, list[Chapter]], holder: int) -> list[Chapter]:
    of_matches = (chapter for match in matches for chapter in chapters.get(match.text_id, ()))
    owned = (chapter for chapter in of_matches if chapter.work.rights_holder_id == holder)
    return sorted(owned, key=lambda chapter: (chapter.work_id, chapter.number))


def stated_author(version: PageVersion) -> str:
    """Return the author that the page names, cut to MAX_AUTHOR_CHARS."""
    return with_length_kept(version.reading.author)[:MAX_AUTHOR_CHARS]


def stated_poster(version: PageVersion, matches: Iterable[Match]) -> str:
    """Return the posters that the page names for the copied passages in its main text, joined; "" if it names none."""
    if not version.reading.posters:
        return ""
    spans = [span.page for match in matches for span in match.spans if span.zone is Zone.MAIN]
    names = version.reading.poster_names(place for span in spans for place in (span.start, span.end - 1))
    return with_length_kept("、".join(names))[:MAX_AUTHOR_CHARS]


def stated_title(version: PageVersion) -> str:
    """Return the title of the page, cut to MAX_TITLE_CHARS."""
    return with_length_kept(version.reading.title)[:MAX_TITLE_CHARS]


def case_figures(findings: Findings, version: PageVersion) -> dict[str, Any]:
    """Return the values of the fields of a case that depend on the page version.

    The similarity is the mean of the matches, weighted by their matched characters.
    """
    matches, matched = findings.matches, findings.matched_chars
    return {
        "page_url": version.page_url,
        "page_title": stated_title(version),
        "page_author": stated_author(version),
        "page_poster": stated_poster(version, matches),
        "page_published_at": version.reading.published,
        "version_id": version.id,
        "match_class": findings.main.match_class,
        "similarity": sum(match.similarity * match.matched_chars for match in matches) / max(1, matched),
        "page_containment": min(1.0, sum(match.page_containment for match in matches)),
        "taken_chars": sum(len(match.taken) for match in matches),
        "matched_chars": matched,
        "longest_equal_run_chars": max(match.longest_equal_run_chars for match in matches),
        "excerpt": _longest_excerpt(findings, version),
        "obfuscations": frozen_obfuscations(_merge_obfuscations(version, matches)),
    }


def compared_text(version: PageVersion, match: Match) -> tuple[str, str]:
    """Return the page text to which the offsets of a match refer, and its digest.

    It is the main text, or the whole text if a passage is outside the main text.
    """
    if all(span.zone is Zone.MAIN for span in match.spans):
        return version.reading.text, version.text_digest
    text = version.reading.whole_text
    return text, digest(text.encode("utf-8", "surrogatepass"))


def _longest_excerpt(findings: Findings, version: PageVersion) -> str:
    """Return the beginning of the longest passage on the page, on one line; "" if there are no passages."""
    spans = findings.main.spans
    if not spans:
        return ""
    longest = max(spans, key=lambda span: span.page.end - span.page.start)
    text = compared_text(version, findings.main)[0][longest.page.start : longest.page.end]
    return with_length_kept(" ".join(text[: 2 * EXCERPT_CHARS].split())[:EXCERPT_CHARS])


def freeze_match(version: PageVersion, match: Match, work_text: str) -> dict[str, Any]:
    """Return the values of the fields of a CaseMatch for a page version and a match. work_text: the matched text."""
    page_text, page_digest = compared_text(version, match)
    raw = version.reading.raw_places()
    return {
        "version_id": version.id,
        "text_id": match.text_id,
        "fetched_at": version.fetched_at,
        "final_url": version.page_url,
        "algorithm_id": match.algorithm_id,
        "raw_digest": version.raw_digest,
        "page_text_digest": page_digest,
        "match_class": match.match_class,
        "similarity": match.similarity,
        "page_containment": match.page_containment,
        "work_containment": match.work_containment,
        "matched_chars": match.matched_chars,
        "longest_equal_run_chars": match.longest_equal_run_chars,
        "spans": [frozen_span(span, page_text, work_text, raw) for span in match.spans],
        "obfuscations": frozen_obfuscations(match.obfuscations),
        "also": list(match.also),
    }


def _merge_obfuscations(version: PageVersion, matches: Iterable[Match]) -> list[ObfuscationFound]:
    """Return one entry for each kind in the version and the matches, with the total count and the first example."""
    merged: dict[Obfuscation, ObfuscationFound] = {}
    for item in (*version.reading.obfuscations, *(item for match in matches for item in match.obfuscations)):
        before = merged.get(item.kind, ObfuscationFound(item.kind, 0, ""))
        merged[item.kind] = ObfuscationFound(item.kind, before.count + item.count, before.example or item.example)
    return [merged[kind] for kind in Obfuscation if kind in merged]


def frozen_span(span: Span, page_text: str, work_text: str, raw: RawPlaces) -> dict[str, Any]:
    """Return a passage as JSON values, with both excerpts. Offsets are in code points of the original texts.

    raw: maps offsets in the page's text to the raw text, to which `raw` and `raw_changes` in the result refer.
    """
    return placed_span(span) | {
        "raw": _range_ends(raw.find_range(span.page.start, span.page.end)),
        "page_excerpt": with_length_kept(page_text[span.page.start : span.page.end]),
        "work_excerpt": with_length_kept(work_text[span.work.start : span.work.end]),
        "raw_changes": [_range_ends(raw.find_range(change.page.start, change.page.end)) for change in span.changes],
    }


def placed_span(span: Span) -> dict[str, Any]:
    """Return the ranges and changes of a passage as JSON values, without text."""
    return {
        "page": [span.page.start, span.page.end],
        "work": [span.work.start, span.work.end],
        "zone": str(span.zone),
        "similarity": cut_share(span.similarity),
        "changes": [
            [str(change.kind), change.page.start, change.page.end, change.work.start, change.work.end]
            for change in span.changes
        ],
    }


def read_span(placed: Mapping[str, Any]) -> Span:
    """Return the passage in the result of `placed_span` or `frozen_span`."""
    return Span(
        page=TextRange(*placed["page"]),
        work=TextRange(*placed["work"]),
        similarity=float(placed.get("similarity", 0.0)),
        changes=tuple(
            Change(ChangeKind(kind), TextRange(page_start, page_end), TextRange(work_start, work_end))
            for kind, page_start, page_end, work_start, work_end in placed.get("changes", ())
        ),
        zone=Zone(placed.get("zone", Zone.MAIN)),
    )


def _range_ends(place: TextRange) -> list[int]:
    return [place.start, place.end]


def frozen_obfuscations(obfuscations: Iterable[ObfuscationFound]) -> list[dict[str, Any]]:
    return [
        {"kind": str(item.kind), "count": item.count, "example": with_length_kept(item.example)}
        for item in obfuscations
    ]


def group_by_work(chapters: Iterable[Chapter], matches: Sequence[Match]) -> list[Findings]:
    """Return the findings of each work. chapters: those with the matched texts, ordered by work and number."""
    by_text = {str(match.text_id): match for match in matches}
    items: dict[Work, dict[str, tuple[Chapter, Match]]] = {}
    for chapter in chapters:
        items.setdefault(chapter.work, {}).setdefault(chapter.text_id, (chapter, by_text[chapter.text_id]))
    return [Findings(work, _drop_teasers(found.values())) for work, found in items.items()]


def _drop_teasers(items: Collection[tuple[Chapter, Match]]) -> tuple[tuple[Chapter, Match], ...]:
    """Return the items without teasers for other pages, or all items if all are teasers."""
    telling = [item for item in items if item[1].match_class is not MatchClass.TEASER]
    return tuple(telling or items)


@dataclass(slots=True)
class SourceNames:
    """Finds the titles and authors of works in texts. They are read once for each work."""

    _known: dict[int, tuple[str, re.Pattern[str]]] = field(default_factory=dict)

    def find_name(self, text: str, work: Work) -> str:
        """Return the title of the work or the name of its author if `text` names it, or ""."""
        if work.pk not in self._known:
            self._known[work.pk] = _searchable_title(work), _author_pattern(names_of_author(work))
        title, by_author = self._known[work.pk]
        plain = unicodedata.normalize("NFKC", text)
        if title and title in plain:
            return f"《{work.title}》"
        found = by_author.search(plain)
        return next(filter(None, found.groups()), "") if found is not None else ""


def name_sources(findings: Findings, reading: Reading, sources: SourceNames) -> Findings:
    """Return the findings with the source that the page names for quotations.

    Excerpts become quotations if the page copied little of the work and names the source next to each of them.
    """
    matches = [match for match in findings.matches if match.match_class is not MatchClass.TEASER]
    classes = {match.match_class for match in matches}
    if not matches or classes - {MatchClass.QUOTATION, MatchClass.EXCERPT}:
        return findings
    if classes == {MatchClass.QUOTATION}:
        return replace(findings, source=sources.find_name(reading.whole_text, findings.work))
    # Quotations are not disguised. Slow parts say nothing about the rest of the text.
    is_disguised = any(found.kind is not Obfuscation.SLOW_PARTS for found in reading.obfuscations)
    if is_disguised or not _are_little(matches):
        return findings
    source = _shared_source_name(matches, reading, findings.work, sources)
    if not source:
        return findings
    items = tuple(
        (
            chapter,
            replace(match, match_class=MatchClass.QUOTATION) if match.match_class is MatchClass.EXCERPT else match,
        )
        for chapter, match in findings.items
    )
    return replace(findings, items=items, source=source)


def _are_little(matches: Collection[Match]) -> bool:
    """Return True if the matches are within the limits of marked quotations.

    The lengths of passages include punctuation.
    """
    from matcher.calibration import DEFAULT as BOUNDS  # loads compiled loops, which lists do not need

    spans = [span for match in matches for span in match.spans]
    return (
        sum(match.matched_chars for match in matches) <= BOUNDS.max_quoted_tokens
        and sum(match.page_containment for match in matches) <= BOUNDS.max_marked_quotation_containment
        and all(match.work_containment <= BOUNDS.max_quoted_work_containment for match in matches)
        and not any(match.obfuscations for match in matches)
        and all(span.page.end - span.page.start <= BOUNDS.max_marked_quotation_tokens for span in spans)
        and all(span.similarity >= BOUNDS.min_quotation_similarity for span in spans)
    )


def _shared_source_name(matches: Collection[Match], reading: Reading, work: Work, sources: SourceNames) -> str:
    """Return the source named next to the first match, or "" unless a source is named next to every match."""
    named = []
    for match in matches:
        is_main = all(span.zone is Zone.MAIN for span in match.spans)
        text = reading.text if is_main else reading.whole_text
        around = (
            text[start:end]
            for place in (span.page for span in match.spans)
            for start, end in ((max(0, place.start - REACH_CHARS), place.start), (place.end, place.end + REACH_CHARS))
        )
        named.append(next(filter(None, (sources.find_name(each, work) for each in around)), ""))
    return named[0] if all(named) else ""


def _searchable_title(work: Work) -> str:
    title = unicodedata.normalize("NFKC", work.title).strip()
    return f"《{title}》" if len(title) >= MIN_NAME_CHARS else ""


def _author_pattern(names: Iterable[str]) -> re.Pattern[str]:
    """Return a pattern that finds any of the names as an author. Without names, its groups match empty strings."""
    known = [unicodedata.normalize("NFKC", name).strip() for name in names]
    escaped = "|".join(re.escape(name) for name in known if len(name) >= MIN_NAME_CHARS)
    return re.compile(rf"{_INTRODUCES}({escaped})|({escaped}){_WRITES}")
