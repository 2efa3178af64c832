"""Findings: what a page took from one work, for the rights holder who watches the site.

Quotations name their source: the matcher knows texts, not who wrote them, and takes an unmarked piece of more than a
sentence for an excerpt. Where title or author stands beside it, that is as good a mark as quotation marks are, within
the same bounds (matcher.calibration, docs/decisions/matching.md); Copyright Law of China, article 24, asks for both.
"""

import re
import unicodedata
from collections import defaultdict
from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from core.errors import NotFound
from core.matches import Match, MatchClass, Span
from core.obfuscations import Obfuscation, ObfuscationFound
from core.pages import PageVersion, Reading
from core.ports import ComparisonOutcome
from core.states import Rejection, exclusion_reason
from core.zones import Zone
from webadmin.cases.services.snapshots import frozen_obfuscations, merged_obfuscations
from webadmin.sites.models import Site
from webadmin.sites.models.site import site_key
from webadmin.ui.models.fields import with_length_kept
from webadmin.works.models import Chapter, Work
from webadmin.works.services.aliases import names_of_author

MAX_TITLE_CHARS, MAX_AUTHOR_CHARS = 500, 200
EXCERPT_CHARS = 80  # a line of a list
REACH_CHARS = 40  # a title and a name with what introduces them; chosen: the matcher looks 30 back for a title
MIN_NAME_CHARS = 2
# A name that is a word as well (江南) names nobody by itself: something has to say that it wrote.
_INTRODUCES = r"(?:作\s?者|作\s?家|出\s?自|摘\s?自|引\s?自|选\s?自|選\s?自|[—―-]{1,2}|文\s?[/／])[\s:：]{0,2}"
_WRITES = r"\s?(?:在\s?《|的\s?《|《|曾?\s?(?:写|寫)|(?:所)?著|笔下|筆下)"


@dataclass(frozen=True, slots=True)
class Findings:
    """What a page took from one work: each text once, with the first chapter that has it.

    source: how the page names the work or its author where all of it is quoted; "" where it does not.
    """

    work: Work
    items: tuple[tuple[Chapter, Match], ...]
    source: str = ""

    @property
    def matches(self) -> list[Match]:
        return [match for _, match in self.items]

    @property
    def matched_chars(self) -> int:
        return sum(match.matched_chars for match in self.matches)

    @property
    def taken_chars(self) -> int:
        """Characters of the work that stand on the page, each once."""
        return sum(len(match.taken) for match in self.matches)

    @property
    def copies(self) -> list[Match]:
        """Those that are more than a quotation or an announcement."""
        return [match for match in self.matches if exclusion_reason([match.match_class]) is None]

    @property
    def main(self) -> Match:
        """The match that took most. A quotation beside a copy does not make the copy one."""
        return max(self.copies or self.matches, key=lambda match: match.matched_chars)

    @property
    def rejection(self) -> Rejection | None:
        """Why these are no case, whatever the rights allow; None where they are."""
        return exclusion_reason([match.match_class for match in self.matches])


@dataclass(frozen=True, slots=True)
class OutcomeFindings:
    """One outcome, with what of it concerns the holder who watches its site."""

    outcome: ComparisonOutcome
    site: Site
    findings: list[Findings]
    is_whole: bool  # no text that was found has been withdrawn meanwhile

    @property
    def holder(self) -> int:
        return self.site.rights_holder_id

    @property
    def opens_teasers(self) -> bool:
        return self.site.rights_holder.opens_teasers

    @property
    def rejection(self) -> str:
        if self.outcome.rejection is not None:
            return str(self.outcome.rejection)
        return "" if self.findings else str(Rejection.NO_MATCH)


def collect_findings(outcomes: Sequence[ComparisonOutcome]) -> list[OutcomeFindings]:
    """What the outcomes have, in their order. Raises NotFound for an unknown site."""
    keys = {outcome.version.site_id: site_key(outcome.version.site_id) for outcome in outcomes}
    sites = Site.objects.select_related("rights_holder").in_bulk(list(set(keys.values())))
    for name, key in keys.items():
        if key not in sites:
            raise NotFound("site", name)
    chapters = _chapters(outcomes, {site.rights_holder_id for site in sites.values()})
    found, sources = [], SourceNames()
    for outcome in outcomes:
        site = sites[keys[outcome.version.site_id]]
        owned = _owned_chapters(outcome.matches, chapters, site.rights_holder_id)
        is_whole = {match.text_id for match in outcome.matches} <= {chapter.text_id for chapter in owned}
        reading = outcome.version.reading
        findings = [with_sources(each, reading, sources) for each in by_work(owned, outcome.matches)]
        found.append(OutcomeFindings(outcome, site, findings, is_whole))
    return found


def _chapters(outcomes: Iterable[ComparisonOutcome], holders: Collection[int]) -> dict[str, list[Chapter]]:
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
    """Whom the page names as its author, as cases and findings keep it."""
    return with_length_kept(version.reading.author)[:MAX_AUTHOR_CHARS]


def stated_poster(version: PageVersion, matches: Iterable[Match]) -> str:
    """Whom the page names as having posted what it took in its main text; "" for nobody."""
    if not version.reading.posters:
        return ""
    spans = [span.page for match in matches for span in match.spans if span.zone is Zone.MAIN]
    names = version.reading.poster_names(place for span in spans for place in (span.start, span.end - 1))
    return with_length_kept("、".join(names))[:MAX_AUTHOR_CHARS]


def stated_title(version: PageVersion) -> str:
    """Return the page's title, as cases and findings keep it."""
    return with_length_kept(version.reading.title)[:MAX_TITLE_CHARS]


def case_figures(findings: Findings, version: PageVersion) -> dict[str, Any]:
    """Return the fields of a case that follow the version shown. Similarity is weighed by what was taken."""
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
        "taken_chars": findings.taken_chars,
        "matched_chars": matched,
        "longest_equal_run_chars": max(match.longest_equal_run_chars for match in matches),
        "excerpt": _excerpt(findings, version),
        "obfuscations": frozen_obfuscations(_obfuscations(version, matches)),
    }


def compared_text(version: PageVersion, match: Match) -> str:
    """The text that the offsets of a match are of: the main text, or the whole one where a passage stands beside it."""
    is_main = all(span.zone is Zone.MAIN for span in match.spans)
    return version.reading.text if is_main else version.reading.whole_text


def _excerpt(findings: Findings, version: PageVersion) -> str:
    """Return how the longest passage begins on the page, in one line."""
    spans = findings.main.spans
    if not spans:
        return ""
    longest = max(spans, key=lambda span: span.page.end - span.page.start)
    text = compared_text(version, findings.main)[longest.page.start : longest.page.end]
    return with_length_kept(" ".join(text[: 2 * EXCERPT_CHARS].split())[:EXCERPT_CHARS])


def _obfuscations(version: PageVersion, matches: Iterable[Match]) -> list[ObfuscationFound]:
    found = [item for match in matches for item in match.obfuscations]
    return merged_obfuscations([*version.reading.obfuscations, *found], order=list(Obfuscation))


def by_work(chapters: Iterable[Chapter], matches: Sequence[Match]) -> list[Findings]:
    """Return the matches by work. chapters: with their works, in order of work and number."""
    by_text = {str(match.text_id): match for match in matches}
    items: dict[Work, dict[str, tuple[Chapter, Match]]] = {}
    for chapter in chapters:
        items.setdefault(chapter.work, {}).setdefault(chapter.text_id, (chapter, by_text[chapter.text_id]))
    return [Findings(work, _telling(found.values())) for work, found in items.items()]


def _telling(items: Collection[tuple[Chapter, Match]]) -> tuple[tuple[Chapter, Match], ...]:
    """Without announcements of what else of the work the site has, where the page has something of it itself."""
    telling = [item for item in items if item[1].match_class is not MatchClass.TEASER]
    return tuple(telling or items)


@dataclass(slots=True)
class SourceNames:
    """The names of the works whose findings are looked at, each read once."""

    _known: dict[int, tuple[str, re.Pattern[str]]] = field(default_factory=dict)

    def find_name(self, text: str, work: Work) -> str:
        """Return how `text` names the work or its author; "" where it does not."""
        if work.pk not in self._known:
            self._known[work.pk] = _title(work), _author_pattern(names_of_author(work))
        title, by_author = self._known[work.pk]
        plain = unicodedata.normalize("NFKC", text)
        if title and title in plain:
            return f"《{work.title}》"
        found = by_author.search(plain)
        return next(filter(None, found.groups()), "") if found is not None else ""


def with_sources(findings: Findings, reading: Reading, sources: SourceNames) -> Findings:
    """Return the findings of one work; quotations with the source that the page names.

    Excerpts are quotations where all that the page has of the work is little and the source stands beside them.
    """
    matches = [match for match in findings.matches if match.match_class is not MatchClass.TEASER]
    classes = {match.match_class for match in matches}
    if not matches or classes - {MatchClass.QUOTATION, MatchClass.EXCERPT}:
        return findings
    if classes == {MatchClass.QUOTATION}:
        return replace(findings, source=sources.find_name(reading.whole_text, findings.work))
    if _is_disguised(reading) or not _are_little(matches):  # who quotes does not disguise
        return findings
    source = _shared_source_name(matches, reading, findings.work, sources)
    if not source:
        return findings
    items = tuple((chapter, _as_quotation(match)) for chapter, match in findings.items)
    return replace(findings, items=items, source=source)


def _is_disguised(reading: Reading) -> bool:
    """Return whether the text was to be hidden; parts that are slow to read say nothing of what stands beside them."""
    return any(found.kind is not Obfuscation.SLOW_PARTS for found in reading.obfuscations)


def _are_little(matches: Collection[Match]) -> bool:
    """Return whether all of it is as little, and as faithful, as what is quoted with marks.

    Lengths with their punctuation.
    """
    from matcher.calibration import DEFAULT as BOUNDS  # loads the loops, which nobody needs who looks at lists

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
    """Return how the source is named beside every match (there is one at least), as it is beside the first."""
    named = []
    for match in matches:
        is_main = all(span.zone is Zone.MAIN for span in match.spans)
        text = reading.text if is_main else reading.whole_text
        named.append(next(filter(None, (_find_source_name(span, text, work, sources) for span in match.spans)), ""))
    return named[0] if all(named) else ""


def _find_source_name(span: Span, text: str, work: Work, sources: SourceNames) -> str:
    before = text[max(0, span.page.start - REACH_CHARS) : span.page.start]
    after = text[span.page.end : span.page.end + REACH_CHARS]
    return sources.find_name(before, work) or sources.find_name(after, work)


def _as_quotation(match: Match) -> Match:
    is_excerpt = match.match_class is MatchClass.EXCERPT
    return replace(match, match_class=MatchClass.QUOTATION) if is_excerpt else match


def _title(work: Work) -> str:
    title = unicodedata.normalize("NFKC", work.title).strip()
    return f"《{title}》" if len(title) >= MIN_NAME_CHARS else ""


def _author_pattern(names: Iterable[str]) -> re.Pattern[str]:
    """What says that one of the names wrote; of no name the groups are empty, so that nobody is named."""
    known = [unicodedata.normalize("NFKC", name).strip() for name in names]
    escaped = "|".join(re.escape(name) for name in known if len(name) >= MIN_NAME_CHARS)
    return re.compile(rf"{_INTRODUCES}({escaped})|({escaped}){_WRITES}")
