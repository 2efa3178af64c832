"""Learns the template of a site from lines that repeat on its pages: navigation, notices, advertisements.

The frame of a line identifies it: its Chinese characters without book titles, numbers, Latin letters and punctuation.
The frame of an advertisement is the same although its URL or decoration changes with each load. The template drops a
repeated line only if
- the line is in a kind of box, except paragraphs, that has contained few different lines on many pages, or
- the line names a site: a host in any spelling, or the site's own name.

A refrain, a closing formula (且听下回分解) and a chapter with several URLs meet neither condition: their neighbours do
not repeat, and they name no site. Pages that repeat each other are not used for learning.
"""

import json
import re
import unicodedata
from collections import Counter, OrderedDict, defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from hashlib import blake2b
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

from lxml.html import HtmlElement

from core.private_files import write_privately
from crawler.markup import Line

FILE_NAME = "templates.json"
FORMAT = 1
# Chosen on the demo's texts and the editions of the shared corpora, 2026-11 (docs/decisions/reading-pages.md): 2 to 8
# pages, shares of .1 to .5 and repetitions of .5 to .9 were tried. No edition loses text, except with 2 pages.
MIN_PAGES = 4
MIN_SHARE_OF_PAGES = 0.2  # of the pages since a frame was first seen, so that lines of former designs expire
# The maximum number of different lines per page in a kind of box that belongs to the site. A box of texts has at least
# one per page, but lists contain it too: .6 to .9 if a post is one line.
MAX_FRAMES_PER_PAGE_OF_PLACE = 0.5
MAX_CHARS = 300  # of a line; notices are long, and chapters on one line are longer
# Limits on the stored data: a site of any size takes some 300 KB at most.
MAX_FRAMES, MAX_PLACES, MAX_SKETCHES, MAX_HOSTS = 3_000, 400, 300, 8
PAGES_BETWEEN_SAVES = 25
SKETCH_HASHES = 32
MAX_SHARED_TO_LEARN = 0.8

_TITLES = re.compile("《[^》]{1,40}》|【[^】]{1,40}】|第[〇零一二三四五六七八九十百千万\\d]{1,9}[章回节節]")
_NOT_HAN = re.compile("[^\u3400-\u4dbf\u4e00-\u9fff]+")
_DIGITS = re.compile(r"\d+")
_DOT = "[.。．·点點]"
_HOST = re.compile(
    rf"www{_DOT}?[a-z0-9]|https?:|[a-z0-9-]{{2,}}(?:{_DOT}(?:com|net|org|cc|cn|info|xyz|top|vip|me|tv|la|tw|hk|io|co|us|biz|pro"
    r"|site|club|online|app|mobi|live|shop|link|win|fun|icu))+(?![a-z])"
)
_MIN_HOST_LABEL = 4
_OF_TEXT = frozenset({"p", "blockquote", "pre"})  # a refrain may have its own class


@dataclass(slots=True)
class _Frame:
    pages: int
    first: int  # the host's number of pages when the frame was first seen


@dataclass(slots=True)
class _PlaceCounts:
    pages: int = 0
    frames: int = 0  # number of different frames


@dataclass(slots=True)
class HostTemplate:
    """The lines that the pages of one host have had in common so far."""

    pages: int = 0
    frames: OrderedDict[str, _Frame] = field(default_factory=OrderedDict)
    places: OrderedDict[str, _PlaceCounts] = field(default_factory=OrderedDict)
    sketches: OrderedDict[str, tuple[str, ...]] = field(default_factory=OrderedDict)
    # The names of sketches by hash.
    _holders: defaultdict[str, set[str]] = field(default_factory=lambda: defaultdict(set))

    def __post_init__(self) -> None:
        for name, sketch in self.sketches.items():
            self._hold(name, sketch)

    def learn(self, page: Sequence[Line]) -> None:
        """Learn from a page, unless it repeats a page that was learnt before."""
        sketch = _sketch(page)
        if self._is_known(sketch):
            return
        frames_by_place: dict[str, set[str]] = {}
        for line in page:
            frames_by_place.setdefault(_place(line.container), set()).add(_frame(line.text))
        self.pages += 1
        self._hold(str(self.pages), sketch)
        self.sketches[str(self.pages)] = sketch
        if len(self.sketches) > MAX_SKETCHES:
            self._release(*self.sketches.popitem(last=False))
        for name, frames in frames_by_place.items():
            place = self.places.setdefault(name, _PlaceCounts())
            place.pages += 1
            place.frames += sum(frame not in self.frames for frame in frames)
        for frame in set[str]().union(*frames_by_place.values()):
            self._count(frame)
        _drop_oldest(self.places, MAX_PLACES)
        _drop_oldest(self.frames, MAX_FRAMES)

    def is_template(self, line: Line, names: Sequence[str]) -> bool:
        """Return True if a line belongs to the template of the site and not to the text.

        names: the site's own names, case-folded
        """
        known = self.frames.get(_frame(line.text))
        if known is None or len(line.text) > MAX_CHARS or known.pages < MIN_PAGES:
            return False
        if known.pages < MIN_SHARE_OF_PAGES * (self.pages - known.first + 1):
            return False
        return names_a_site(line.text, names) or self._is_of_the_site(line.container)

    def _is_of_the_site(self, container: HtmlElement) -> bool:
        place = self.places.get(_place(container))
        if place is None or container.tag in _OF_TEXT:
            return False
        return place.pages >= MIN_PAGES and place.frames <= MAX_FRAMES_PER_PAGE_OF_PLACE * place.pages

    def _count(self, frame: str) -> None:
        known = self.frames.get(frame)
        if known is None:
            self.frames[frame] = _Frame(1, self.pages)
        else:
            known.pages += 1
            self.frames.move_to_end(frame)

    def _is_known(self, sketch: tuple[str, ...]) -> bool:
        shared = Counter(name for each in sketch for name in self._holders.get(each, ()))
        return max(shared.values(), default=0) > MAX_SHARED_TO_LEARN * len(sketch)

    def _hold(self, name: str, sketch: tuple[str, ...]) -> None:
        for each in sketch:
            self._holders[each].add(name)

    def _release(self, name: str, sketch: tuple[str, ...]) -> None:
        for each in sketch:
            self._holders[each].discard(name)
            if not self._holders[each]:
                del self._holders[each]


class SiteTemplates:
    """The templates of a site's hosts.

    folder: where they are stored; None to store nothing. If several processes share a folder, the last write counts;
    what it lacks is learnt again within a few pages.
    """

    def __init__(self, folder: Path | None = None) -> None:
        self._path = folder / FILE_NAME if folder is not None else None
        self._pages_unsaved = 0
        self._hosts = _load_templates(self._path)

    def filter_lines(self, page: Sequence[Line], site_name: str, url: str) -> list[Line]:
        """Learn from a page, then return its lines without the template, in order."""
        host = urlsplit(url).hostname or ""
        names = [name for name in (*_labels(host), _fold(site_name)) if name]
        template = _host_template(self._hosts, host)
        template.learn(page)
        kept = [line for line in page if not template.is_template(line, names)]
        self._pages_unsaved += 1
        if self._pages_unsaved >= PAGES_BETWEEN_SAVES:
            self._save()
        return kept

    def close(self) -> None:
        """Save what was learnt since the last write."""
        if self._pages_unsaved:
            self._save()

    def _save(self) -> None:
        self._pages_unsaved = 0
        if self._path is None:
            return
        self._path.parent.mkdir(parents=True, exist_ok=True)
        _write(self._path, self._hosts)


def names_a_site(text: str, names: Sequence[str] = ()) -> bool:
    """Return True if a line contains a host, in any width and with any dots, or one of these case-folded names.

    >>> names_a_site("一秒记住：ｗｗｗ。ａｂｃ．ｃｏｍ"), names_a_site("欲知后事如何，且听下回分解。")
    (True, False)
    """
    folded = _fold(text)
    return bool(_HOST.search(folded)) or any(name in folded for name in names)


def _labels(host: str) -> list[str]:
    return [label for label in host.split(".")[:-1] if len(label) >= _MIN_HOST_LABEL]


def _fold(text: str) -> str:
    return "".join(unicodedata.normalize("NFKC", text).casefold().split())


def _frame(text: str) -> str:
    """Return the digest of a line's Chinese characters, or of the whole line without digits if it has none."""
    plain = unicodedata.normalize("NFKC", text)
    han = _NOT_HAN.sub("", _TITLES.sub("", plain)) or _NOT_HAN.sub("", plain) or _DIGITS.sub("0", plain)
    return _hash(han)


def _place(container: HtmlElement) -> str:
    """Return the digest of a kind of box: the tags and classes of a block and two of its ancestors, without digits."""
    parts, node = [], container
    for _ in range(3):
        if node is None:
            break
        parts.append(f"{node.tag}.{_DIGITS.sub('', node.get('class') or node.get('id') or '')}")
        node = node.getparent()
    return _hash(" ".join(parts))


def _sketch(page: Sequence[Line]) -> tuple[str, ...]:
    """Return the smallest hashes of the sentences on a page. Pages with the same text share most of them."""
    sentences = {_hash(line.text) for line in page if len(line.text) > 15 and line.link_chars * 2 < len(line.text)}
    return tuple(sorted(sentences)[:SKETCH_HASHES])


def _hash(text: str) -> str:
    return blake2b(text.encode("utf-8", "surrogatepass"), digest_size=8).hexdigest()


def _drop_oldest(kept: "OrderedDict[str, Any]", most: int) -> None:
    while len(kept) > most:
        kept.popitem(last=False)


def _host_template(hosts: "OrderedDict[str, HostTemplate]", host: str) -> HostTemplate:
    """Return the template of a host, and mark the host as the most recently used."""
    template = hosts.setdefault(host, HostTemplate())
    hosts.move_to_end(host)
    _drop_oldest(hosts, MAX_HOSTS)
    return template


def _write(path: Path, hosts: Mapping[str, HostTemplate]) -> None:
    record = {"format": FORMAT, "hosts": {host: _as_record(each) for host, each in hosts.items()}}
    write_privately(path, json.dumps(record, separators=(",", ":")))


def _as_record(template: HostTemplate) -> dict[str, Any]:
    return {
        "pages": template.pages,
        "frames": {name: [frame.pages, frame.first] for name, frame in template.frames.items()},
        "places": {name: [place.pages, place.frames] for name, place in template.places.items()},
        "sketches": {name: list(sketch) for name, sketch in template.sketches.items()},
    }


def _load_templates(path: Path | None) -> "OrderedDict[str, HostTemplate]":
    """Load the stored templates; return none if they cannot be read. They are learnt again within a few pages."""
    if path is None or not path.exists():
        return OrderedDict()
    try:
        record = json.loads(path.read_text(encoding="utf-8"))
        if record["format"] != FORMAT:
            return OrderedDict()
        return OrderedDict((str(host), _template_from_record(each)) for host, each in record["hosts"].items())
    except (OSError, ValueError, KeyError, TypeError, AttributeError):
        return OrderedDict()


def _template_from_record(record: Mapping[str, Any]) -> HostTemplate:
    return HostTemplate(
        pages=int(record["pages"]),
        frames=OrderedDict((name, _Frame(*map(int, counts))) for name, counts in record["frames"].items()),
        places=OrderedDict((name, _PlaceCounts(*map(int, counts))) for name, counts in record["places"].items()),
        sketches=OrderedDict((name, tuple(map(str, hashes))) for name, hashes in record["sketches"].items()),
    )


# The skeleton of a page: its elements with their classes and ids, without text. Pages of the same template have similar
# skeletons.

MAX_ELEMENTS = 5_000
# Which of them occur depends on the text.
_TAGS_OF_TEXT = frozenset({"p", "br", "b", "i", "em", "strong", "span", "font"})


def skeleton(tree: HtmlElement) -> frozenset[str]:
    """Return an entry for each element with a class or an id: its tag and names, and the names of its parent.

    Digits in names are ignored, because a page may use its number as an id.
    """
    found: set[str] = set()
    for at, node in enumerate(tree.iter()):
        if at >= MAX_ELEMENTS:
            break
        if isinstance(node.tag, str) and node.tag not in _TAGS_OF_TEXT:
            called = _element_name(node)
            parent = node.getparent()
            if called:
                found.add(f"{_element_name(parent) if parent is not None else ''}>{node.tag}{called}")
    return frozenset(found)


def template(skeletons: Sequence[frozenset[str]]) -> frozenset[str]:
    """Return the entries that at least half of the skeletons contain."""
    counts = Counter(entry for each in skeletons for entry in each)
    return frozenset(entry for entry, count in counts.items() if count * 2 >= len(skeletons))


def agreement(one: Iterable[str], other: Iterable[str]) -> float:
    """Return the Jaccard similarity of two templates, [0, 1]; 0.0 if one of them is empty."""
    first, second = frozenset(one), frozenset(other)
    return len(first & second) / len(first | second) if first and second else 0.0


def _element_name(node: HtmlElement) -> str:
    names = sorted((node.get("class") or "").split())
    called = [f".{name}" for name in names] + ([f"#{node.get('id')}"] if node.get("id") else [])
    return _DIGITS.sub("0", "".join(called))
