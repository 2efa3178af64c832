"""A case's own figures, of all texts of the work that the page took from."""

from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass
from typing import Any

from core.matches import Match, MatchClass
from core.obfuscations import Obfuscation, ObfuscationFound
from core.pages import PageVersion
from core.states import Rejection, left_out_as
from core.zones import Zone
from webadmin.cases.services.snapshots import frozen_obfuscations, merged_obfuscations
from webadmin.ui.models.fields import with_length_kept
from webadmin.works.models import Chapter, Work

MAX_TITLE_CHARS, MAX_AUTHOR_CHARS = 500, 200
EXCERPT_CHARS = 80  # a line of a list


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
        return [match for match in self.matches if left_out_as([match.match_class]) is None]

    @property
    def main(self) -> Match:
        """The match that took most. A quotation beside a copy does not make the copy one."""
        return max(self.copies or self.matches, key=lambda match: match.matched_chars)

    @property
    def left_out_as(self) -> Rejection | None:
        """Why these are no case, whatever the rights allow; None where they are."""
        return left_out_as([match.match_class for match in self.matches])


def author_of(version: PageVersion) -> str:
    """Whom the page names as its author, as cases and findings keep it."""
    return with_length_kept(version.reading.author)[:MAX_AUTHOR_CHARS]


def poster_of(version: PageVersion, matches: Iterable[Match]) -> str:
    """Whom the page names as having posted what it took in its main text; "" for nobody."""
    spans = [span.page for match in matches for span in match.spans if span.zone is Zone.MAIN]
    names = version.reading.posters_at(place for span in spans for place in (span.start, span.end - 1))
    return with_length_kept("、".join(names))[:MAX_AUTHOR_CHARS]


def title_of(version: PageVersion) -> str:
    """The page's title, as cases and findings keep it."""
    return with_length_kept(version.reading.title)[:MAX_TITLE_CHARS]


def case_figures(findings: Findings, version: PageVersion) -> dict[str, Any]:
    """The fields of a case that follow the version shown. Similarity is weighed by what was taken."""
    matches, matched = findings.matches, findings.matched_chars
    return {
        "page_url": version.page_url,
        "page_title": title_of(version),
        "page_author": author_of(version),
        "page_poster": poster_of(version, matches),
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
    """How the longest passage begins on the page, in one line."""
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
    """The matches by work. chapters: with their works, in order of work and number."""
    by_text = {str(match.text_id): match for match in matches}
    items: dict[Work, dict[str, tuple[Chapter, Match]]] = {}
    for chapter in chapters:
        items.setdefault(chapter.work, {}).setdefault(chapter.text_id, (chapter, by_text[chapter.text_id]))
    return [Findings(work, _telling(found.values())) for work, found in items.items()]


def _telling(items: Collection[tuple[Chapter, Match]]) -> tuple[tuple[Chapter, Match], ...]:
    """Without announcements of what else of the work the site has, where the page has something of it itself."""
    telling = [item for item in items if item[1].match_class is not MatchClass.TEASER]
    return tuple(telling or items)
