"""What repeats on a site's pages, learnt from the pages themselves: navigation, notices, advertisements.

A line is known by its frame: its Chinese characters without names of books, numbers, Latin letters and marks, so that
an advertisement whose address or decoration changes at every load keeps it. What repeats is left out only where

- it stands in a kind of box, no paragraph, in which few different lines stood on many pages, or
- it names a site: a host, however it is written, or the site's own name.

A refrain, a closing formula (且听下回分解) or a chapter that stands under several addresses meets neither: it stands
among lines that do not repeat and names no site. Pages that repeat each other teach nothing.
"""

import fcntl
import json
import os
import re
import threading
import unicodedata
from collections import Counter, OrderedDict, defaultdict
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from hashlib import blake2b
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

from lxml.html import HtmlElement

from crawler.markup import Line

FILE_NAME = "templates.json"
FORMAT = 1
# Chosen on the demo's texts and the editions of the shared corpora, 2026-11 (docs/decisions/reading-pages.md):
# pages 2 to 8, share .1 to .5 and repetition .5 to .9 tried; nothing of an edition is lost at any of them but 2 pages.
MIN_PAGES = 4
MIN_SHARE_OF_PAGES = 0.2  # of the pages read since a frame was first seen: what a site once showed is no template
# A place of the site's: at most so many different lines for each of its pages. A box of texts has one at least for each
# page of its own, and is shown again on lists: .6 to .9 where a post is one line.
MAX_FRAMES_PER_PAGE_OF_PLACE = 0.5
MAX_CHARS = 300  # of a line: notices are long, chapters in one line are longer
# Bounds of what is kept: a site of any size costs at most some 300 KB.
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
_OF_TEXT = frozenset({"p", "blockquote", "pre"})  # a refrain may have a class of its own


@dataclass(slots=True)
class _Frame:
    pages: int
    first: int  # how many pages the host had when it was first seen


@dataclass(slots=True)
class _Place:
    pages: int = 0
    frames: int = 0  # different ones


@dataclass(frozen=True, slots=True)
class _Lesson:
    """What one page teaches: its sketch, and the frames that stood in each place."""

    sketch: tuple[str, ...]
    stood: Mapping[str, set[str]]


@dataclass(slots=True)
class HostTemplate:
    """What one host's pages have in common so far."""

    pages: int = 0
    frames: OrderedDict[str, _Frame] = field(default_factory=OrderedDict)
    places: OrderedDict[str, _Place] = field(default_factory=OrderedDict)
    sketches: OrderedDict[str, tuple[str, ...]] = field(default_factory=OrderedDict)
    _holders: defaultdict[str, set[str]] = field(default_factory=lambda: defaultdict(set))  # hash -> names of sketches

    def __post_init__(self) -> None:
        for name, sketch in self.sketches.items():
            self._hold(name, sketch)

    def learn(self, page: Sequence[Line]) -> _Lesson | None:
        """Take one page in; None where it repeats one that was taken in before, and teaches nothing."""
        sketch = _sketch(page)
        if self._is_known(sketch):
            return None
        stood: dict[str, set[str]] = {}
        for line in page:
            stood.setdefault(_place(line.container), set()).add(_frame(line.text))
        lesson = _Lesson(sketch, stood)
        self._take_in(lesson)
        return lesson

    def repeat(self, lesson: _Lesson) -> None:
        """Take in what was learnt elsewhere, unless the page is known here."""
        if not self._is_known(lesson.sketch):
            self._take_in(lesson)

    def _take_in(self, lesson: _Lesson) -> None:
        self.pages += 1
        self._hold(str(self.pages), lesson.sketch)
        self.sketches[str(self.pages)] = lesson.sketch
        if len(self.sketches) > MAX_SKETCHES:
            self._release(*self.sketches.popitem(last=False))
        for name, frames in lesson.stood.items():
            place = self.places.setdefault(name, _Place())
            place.pages += 1
            place.frames += sum(frame not in self.frames for frame in frames)
        for frame in set[str]().union(*lesson.stood.values()):
            self._count(frame)
        _bound(self.places, MAX_PLACES)
        _bound(self.frames, MAX_FRAMES)

    def is_template(self, line: Line, names: Sequence[str]) -> bool:
        """Whether a line belongs to the site and not to the text. names: what the site calls itself, folded."""
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
    """The templates of a site's hosts. Safe in several threads; kept in `folder` where there is one.

    Several processes may keep theirs in one folder: what each has learnt since it last wrote is taken in by the next
    that writes, and by nobody twice.
    """

    def __init__(self, folder: Path | None = None) -> None:
        self._path = folder / FILE_NAME if folder is not None else None
        self._lock = threading.Lock()
        self._pages_unsaved = 0
        self._lessons: list[tuple[str, _Lesson]] = []  # by host, since the last time that was written
        self._written = _stamp(self._path)  # before it is read: what is written meanwhile is read once more
        self._hosts = _loaded(self._path)

    def sieved(self, page: Sequence[Line], url: str, site_name: str = "") -> list[Line]:
        """Learn from a page, then return those of its lines that are no template, in their order."""
        host = urlsplit(url).hostname or ""
        names = [name for name in (*_labels(host), _folded(site_name)) if name]
        with self._lock:
            template = _of_host(self._hosts, host)
            lesson = template.learn(page)
            if lesson is not None and self._path is not None:
                self._lessons.append((host, lesson))
            kept = [line for line in page if not template.is_template(line, names)]
            self._pages_unsaved += 1
            if self._pages_unsaved >= PAGES_BETWEEN_SAVES:
                self._save()
        return kept

    def sieve(self, url: str) -> Callable[[Sequence[Line], str], list[Line]]:
        """`sieved` for one page, as crawler.main_text.extraction.extract takes it."""
        return lambda page, site_name: self.sieved(page, url, site_name)

    def close(self) -> None:
        """Keep what was learnt since the last time."""
        with self._lock:
            if self._pages_unsaved:
                self._save()

    def _save(self) -> None:
        self._pages_unsaved = 0
        if self._path is None:
            return
        self._path.parent.mkdir(parents=True, exist_ok=True)
        with _locked(self._path):
            if _stamp(self._path) != self._written:
                self._take_over(_loaded(self._path))
            _write(self._path, self._hosts)
            self._written = _stamp(self._path)
        self._lessons.clear()

    def _take_over(self, others: "OrderedDict[str, HostTemplate]") -> None:
        """What others wrote meanwhile, and on top of it what was learnt here; a file that is no use is written anew."""
        if not others:
            return
        for host, lesson in self._lessons:
            _of_host(others, host).repeat(lesson)
        self._hosts = others


def names_a_site(text: str, names: Sequence[str] = ()) -> bool:
    """Whether a line writes a host, in any width and with any dots, or one of these folded names.

    >>> names_a_site("一秒记住：ｗｗｗ。ａｂｃ．ｃｏｍ"), names_a_site("欲知后事如何，且听下回分解。")
    (True, False)
    """
    folded = _folded(text)
    return bool(_HOST.search(folded)) or any(name in folded for name in names)


def _labels(host: str) -> list[str]:
    return [label for label in host.split(".")[:-1] if len(label) >= _MIN_HOST_LABEL]


def _folded(text: str) -> str:
    return "".join(unicodedata.normalize("NFKC", text).casefold().split())


def _frame(text: str) -> str:
    """What stays of a line however it is decorated; of a line without Chinese characters the whole."""
    plain = unicodedata.normalize("NFKC", text)
    han = _NOT_HAN.sub("", _TITLES.sub("", plain)) or _NOT_HAN.sub("", plain) or _DIGITS.sub("0", plain)
    return _hash(han)


def _place(container: HtmlElement) -> str:
    """The kind of box: tag and class of a block and of the two around it, numbers left out."""
    parts, node = [], container
    for _ in range(3):
        if node is None:
            break
        parts.append(f"{node.tag}.{_DIGITS.sub('', node.get('class') or node.get('id') or '')}")
        node = node.getparent()
    return _hash(" ".join(parts))


def _sketch(page: Sequence[Line]) -> tuple[str, ...]:
    """The smallest hashes of the page's sentences: pages with the same text have most of them in common."""
    sentences = {_hash(line.text) for line in page if len(line.text) > 15 and line.link_chars * 2 < len(line.text)}
    return tuple(sorted(sentences)[:SKETCH_HASHES])


def _hash(text: str) -> str:
    return blake2b(text.encode("utf-8", "surrogatepass"), digest_size=8).hexdigest()


def _bound(kept: "OrderedDict[str, Any]", most: int) -> None:
    while len(kept) > most:
        kept.popitem(last=False)


def _of_host(hosts: "OrderedDict[str, HostTemplate]", host: str) -> HostTemplate:
    """The template of a host, which is the newest in use from now on."""
    template = hosts.setdefault(host, HostTemplate())
    hosts.move_to_end(host)
    _bound(hosts, MAX_HOSTS)
    return template


@contextmanager
def _locked(path: Path) -> Iterator[None]:
    """Hold the file for this process; the lock of a process that dies is free at once."""
    with path.with_suffix(".lock").open("a") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        yield


def _stamp(path: Path | None) -> tuple[int, int] | None:
    """Which writing of the file stands there: each is a file of its own."""
    try:
        state = path.stat() if path is not None else None
    except OSError:
        return None
    return (state.st_ino, state.st_mtime_ns) if state is not None else None


def _write(path: Path, hosts: Mapping[str, HostTemplate]) -> None:
    """Write a new file beside the old one and put it in its place; whoever reads sees the one or the other."""
    record = {"format": FORMAT, "hosts": {host: _as_record(each) for host, each in hosts.items()}}
    fresh = path.with_suffix(".new")
    with fresh.open("w", encoding="utf-8") as file:
        json.dump(record, file, separators=(",", ":"))
        file.flush()
        os.fsync(file.fileno())
    fresh.replace(path)


def _as_record(template: HostTemplate) -> dict[str, Any]:
    return {
        "pages": template.pages,
        "frames": {name: [frame.pages, frame.first] for name, frame in template.frames.items()},
        "places": {name: [place.pages, place.frames] for name, place in template.places.items()},
        "sketches": {name: list(sketch) for name, sketch in template.sketches.items()},
    }


def _loaded(path: Path | None) -> "OrderedDict[str, HostTemplate]":
    """What was kept; nothing where it cannot be read: a template is learnt anew within a few pages."""
    if path is None or not path.exists():
        return OrderedDict()
    try:
        record = json.loads(path.read_text(encoding="utf-8"))
        if record["format"] != FORMAT:
            return OrderedDict()
        return OrderedDict((str(host), _of_record(each)) for host, each in record["hosts"].items())
    except (OSError, ValueError, KeyError, TypeError, AttributeError):
        return OrderedDict()


def _of_record(record: Mapping[str, Any]) -> HostTemplate:
    return HostTemplate(
        pages=int(record["pages"]),
        frames=OrderedDict((name, _Frame(*map(int, counts))) for name, counts in record["frames"].items()),
        places=OrderedDict((name, _Place(*map(int, counts))) for name, counts in record["places"].items()),
        sketches=OrderedDict((name, tuple(map(str, hashes))) for name, hashes in record["sketches"].items()),
    )
