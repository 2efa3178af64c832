"""Finds the passages of a case anywhere in a response with the matcher.

The main text and the whole source without its markup are compared, because a text moved into a script, hidden elements
or attributes, possibly escaped, is not removed. The search does not find a text moved into images, behind a request
made by scripts, or into an encoding that only the site uses.
"""

import html
import re
from base64 import b64decode
from collections.abc import Collection, Iterable, Mapping
from urllib.parse import unquote

from core.ids import WorkTextId
from core.ports import WorkTexts
from core.taken import NO_PLACES, Places
from crawler.opening import Rejected, decode_page
from fingerprint.algorithms import DEFAULT as ALGORITHM
from fingerprint.fingerprinting import fingerprint_text
from matcher.corpus import MemoryCorpus, WorkEntry
from matcher.index.memory import MemoryIndex
from matcher.matching import Matcher
from webadmin.cases.models import Case, CaseMatch, TakenText

MAX_SOURCE_BYTES = 4 * 2**20  # Pages have 60 kB. A larger response is not searched and proves nothing.
_ESCAPED = re.compile(r"(?:\\|%)u([0-9a-fA-F]{4})")
_PERCENT = re.compile(r"(?:%[0-9a-fA-F]{2}){3,}")
# At least seven Chinese characters. A site would hide whole sentences, and shorter ones form no passage.
_BASE64 = re.compile(r"[A-Za-z0-9+/]{28,}={0,2}")
_ASCII = re.compile(r"[\x00-\x7f]+")


class PassageFinder:
    """Compares responses with the texts of the works that cases copied. Each text is indexed once in a round."""

    def __init__(self, works: WorkTexts) -> None:
        self._works = works
        self._entries: dict[str, WorkEntry | None] = {}

    def count_characters(self, case: Case, texts: Iterable[str]) -> int:
        """Return the number of characters of the copied works' texts that occur in any of `texts`.

        Passages that a reviewer excluded from the case do not count. Returns 0 if none of the works' texts is stored
        any longer; then `has_all_texts` is False.
        """
        matcher, left_out = self._make_matcher(self._work_text_ids(case)), _excluded_places(case)
        found: dict[str, Places] = {}
        for text in texts:
            for match in matcher.match(text, fingerprint_text(text, ALGORITHM)):
                key = str(match.text_id)
                found[key] = found.get(key, NO_PLACES) | match.taken
        return sum(len(taken) - len(taken & left_out.get(key, NO_PLACES)) for key, taken in found.items())

    def has_all_texts(self, case: Case) -> bool:
        """Return True if all texts of works that the case copied from are stored."""
        texts = self._work_text_ids(case)
        return bool(texts) and all(self._work_entry(text) is not None for text in texts)

    def _work_text_ids(self, case: Case) -> list[str]:
        return list(CaseMatch.objects.filter(case=case).order_by().values_list("text_id", flat=True).distinct())

    def _make_matcher(self, texts: Collection[str]) -> Matcher:
        index, corpus = MemoryIndex(ALGORITHM.id), MemoryCorpus()
        for text in texts:
            entry = self._work_entry(text)
            if entry is not None:
                corpus[WorkTextId(text)] = entry
                index.add(WorkTextId(text), entry.fingerprint)
        return Matcher(index, corpus)

    def _work_entry(self, text_id: str) -> WorkEntry | None:
        if text_id not in self._entries:
            text = self._works.text(WorkTextId(text_id))
            self._entries[text_id] = WorkEntry(text, fingerprint_text(text, ALGORITHM)) if text is not None else None
        return self._entries[text_id]


def source_text(body: bytes, headers: Mapping[str, str], url: str, encoding: str = "") -> str | None:
    r"""Return all non-ASCII text in a response, in order and including escaped text.

    encoding: from the site's rules. Returns None if the response cannot be decoded or is too large to be searched.

    >>> source_text("<p>渡<i>口</i></p><script>x='\\u65e0\\u706f'</script>".encode(), {}, "https://a.example/")
    '渡口无灯'
    """
    if len(body) > MAX_SOURCE_BYTES:
        return None
    named = {name.lower(): value for name, value in headers.items()}
    decoded = decode_page(body, named.get("content-type", ""), url, encoding)
    if isinstance(decoded, Rejected):
        return None
    text = _ESCAPED.sub(lambda found: chr(int(found[1], 16)), html.unescape(decoded.text))
    text = _PERCENT.sub(lambda found: unquote(found[0], errors="ignore"), text)
    return _ASCII.sub("", _BASE64.sub(lambda found: _decode_base64(found[0]), text))


def _decode_base64(written: str) -> str:
    try:
        return b64decode(written, validate=True).decode("utf-8")
    except ValueError:
        return ""


def _excluded_places(case: Case) -> dict[str, Places]:
    rows = TakenText.objects.filter(case=case).exclude(left_out=b"").values_list("text_id", "left_out")
    return {text: Places.unpack(bytes(packed)) for text, packed in rows}
