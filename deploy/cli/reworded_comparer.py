"""Adds suspected rewrites, which are found by meaning, to the copies that a batch finds."""

import re
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from core.errors import BadInput
from core.ids import WorkTextId, work_text_id
from core.matches import MatchClass
from deploy.cli.archive import Comparer
from matcher.reworded.calibration import COPIED_SHARE
from matcher.reworded.found import RewordedMatch
from matcher.reworded.sentences import is_latin
from matcher.reworded.stretches import MemoryTexts
from webadmin.rewrites.cli.meaning_search import Progress, lead_record, search_among
from webadmin.ui.services.json_lines import records

_NO_TEXT = re.compile(r"<(script|style)\b.*?</\1\s*>|<[^>]*>", re.DOTALL | re.IGNORECASE)
_HAN, _LATIN = re.compile("[\u3400-\u9fff]"), re.compile("[A-Za-z]")


class RewordedComparer:
    """A comparer that yields the matches of another comparer, followed by the suspected rewrites on each page.

    copies: the other comparer. languages: the result of `detect_scripts`. Works with equal texts are compared once and
    all of them listed. Raises BadConfiguration if the extra `reworded` is not installed.
    """

    def __init__(self, copies: Comparer, works: Mapping[str, str], languages: frozenset[bool], tell: Progress) -> None:
        self._copies = copies
        self._owners: dict[WorkTextId, list[str]] = defaultdict(list)
        self._texts_of: dict[str, WorkTextId] = {}
        texts = MemoryTexts()
        for work_id, text in works.items():
            text_id = work_text_id(text)
            texts[text_id] = text
            self._owners[text_id].append(work_id)
            self._texts_of[work_id] = text_id
        self._search = search_among(texts, languages, tell)

    def matches(self, pages: Sequence[tuple[str, str]], exclude_same_id: bool) -> Iterator[list[dict[str, Any]]]:
        """Yield the matches of each page as JSON values, copies first; a page is an id and a text."""
        for (page_id, text), copies in zip(pages, self._copies.matches(pages, exclude_same_id), strict=True):
            copied = sum(match["containment"] or 0 for match in copies)
            taken = [match for match in copies if MatchClass(match["class"]).is_copy]
            known = {work_id for match in taken for work_id in (match["work_id"], *match["also"])}
            own = {page_id} if exclude_same_id else set()
            leads = [] if copied > COPIED_SHARE else self._find_leads(text, own, known)
            yield [*copies, *leads]

    def _find_leads(self, text: str, own: set[str], copied: set[str]) -> list[dict[str, Any]]:
        """Return the suspected rewrites in a text as JSON values.

        own, copied: the ids of works that are left out, as they have the page's id or are copied on the page.
        """
        owned = {self._texts_of[work_id] for work_id in own if work_id in self._texts_of}
        without = {text_id for text_id in owned if own.issuperset(self._owners[text_id])}
        leads = []
        for match in self._search.search(text, without):
            carriers = [work_id for work_id in self._owners[match.text_id] if work_id not in own | copied]
            if carriers:
                leads.append(_match_record(match, carriers))
        return leads


def detect_scripts(pages: Path) -> frozenset[bool]:
    """Return the scripts of the pages in a file: True for Latin script, False for any other script, or both.

    HTML with at least as many Latin letters as Chinese characters counts as both, and so does a file that cannot be
    read twice, such as a pipe. Raises UnreadableFile.
    """
    if pages.exists() and not pages.is_file() and not pages.is_dir():
        return frozenset((False, True))
    found: set[bool] = set()
    for record in records(pages, _ignore_line):
        if isinstance(text := record.values.get("text"), str):
            found.add(is_latin(text))
        elif isinstance(html := record.values.get("html"), str):
            plain = _NO_TEXT.sub(" ", html)
            found |= {False, True} if len(_LATIN.findall(plain)) >= len(_HAN.findall(plain)) else {False}
    return frozenset(found)


def _ignore_line(_: BadInput) -> None:
    """Ignore a malformed line, because the comparison reports it."""


def _match_record(match: RewordedMatch, carriers: Sequence[str]) -> dict[str, Any]:
    nothing: dict[str, Any] = {"similarity": None, "containment": None, "spans": []}
    return {"work_id": carriers[0], **nothing, **lead_record(match), "also": list(carriers[1:])}
