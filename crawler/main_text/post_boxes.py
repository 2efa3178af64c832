"""The boxes of a thread's page: of which kinds they are, which lines they hold, and how much those speak for posts."""

import re
from collections import Counter, defaultdict
from collections.abc import Iterable, Sequence
from functools import cached_property
from itertools import accumulate

from lxml.html import HtmlElement

from crawler.main_text.density import MAX_LINK_SHARE, weight
from crawler.main_text.headline import one_line
from crawler.main_text.post_marks import END_OF_SENTENCE, blocks, is_elsewhere, is_mark, is_member, is_of_software
from crawler.markup import Line

Kind = tuple[object, ...]
Span = tuple[int, int]  # the places of the first and the last line
OWN_LINES = "own"
MIN_CHARS_OF_TITLE = 5
MIN_MARKS = 2
MAX_KINDS_OF_MARKS = 20  # real threads have up to 9 (2026-11, own layouts and open pages)
# In boxes of marks there is little else; in a post that holds its own mark there are its words besides.
MIN_SHARE_OF_MARKS = 0.2
_MAX_LEVELS_OF_KIND = 3
_NUMBERS = re.compile(r"[0-9a-f]{8,}|\d+")
_DIGITS = re.compile(r"\d+")


class PageBoxes:
    """A page's lines by their places, its boxes by their kinds, and its marks: lines that say who wrote when."""

    def __init__(self, page: Sequence[Line], title: str) -> None:
        self.page, self._title = page, title
        self._kinds: dict[HtmlElement, Kind] = {}
        self._elsewhere: dict[HtmlElement, bool] = {}
        repeats = Counter(_DIGITS.sub("0", line.text) for line in page)
        frames = [self._is_frame(line, repeats) for line in page]
        # Characters, marks of sentences threefold. Foreign words and code speak neither for a post nor against it.
        self.words = [0.0 if frame else _words(line) for frame, line in zip(frames, page, strict=True)]
        self._words_before = [0.0, *accumulate(self.words)]
        noise = (float(len(line.text)) if frame else 0.0 for frame, line in zip(frames, page, strict=True))
        self._noise_before = [0.0, *accumulate(noise)]

    @cached_property
    def marks(self) -> dict[Kind, list[int]]:
        """The places of the lines that state a time or a floor, by the kinds of their boxes and of those around."""
        return self._by_kind_of_line(place for place, line in enumerate(self.page) if is_mark(line.text))

    def parting_marks(self) -> list[list[int]]:
        """Of each kind those marks that may part a page into posts."""
        return self._parting(self.marks)

    def parting_members(self) -> list[list[int]]:
        """The same of lines that are the name of a member: no time may be stated at all."""
        return self._parting(self._by_kind_of_line(place for place, line in enumerate(self.page) if is_member(line)))

    def _by_kind_of_line(self, places: Iterable[int]) -> dict[Kind, list[int]]:
        found: dict[Kind, list[int]] = defaultdict(list)
        for place in places:
            found[self._kind_of_line(self.page[place])].append(place)
        return dict(found)

    def _parting(self, marks: dict[Kind, list[int]]) -> list[list[int]]:
        counts = Counter(map(self._kind_of_line, self.page))
        found = [
            places for kind, places in marks.items() if len(places) >= max(MIN_MARKS, MIN_SHARE_OF_MARKS * counts[kind])
        ]
        return sorted(found, key=len, reverse=True)[:MAX_KINDS_OF_MARKS]

    @cached_property
    def spans(self) -> dict[HtmlElement, Span]:
        """Which lines every box holds."""
        spans: dict[HtmlElement, Span] = {}
        for place, line in enumerate(self.page):
            for node in blocks(line.container):
                spans[node] = (spans[node][0] if node in spans else place, place)
        return spans

    @cached_property
    def by_kind(self) -> dict[Kind, list[Span]]:
        """The boxes of every kind that there are two of, in their order; those named OWN_LINES are single lines.

        A post that holds its own mark has no box for its words alone: they are taken line by line.
        """
        found: dict[Kind, list[Span]] = defaultdict(list)
        for node, span in self.spans.items():
            found[self._kind(node)].append(span)
        for place, line in enumerate(self.page):
            if self.words[place]:
                found[OWN_LINES, *self._kind(line.container)].append((place, place))
        return {kind: sorted(spans) for kind, spans in found.items() if len(spans) >= MIN_MARKS}

    def speaks(self, span: Span) -> bool:
        """Whether any words stand there."""
        return self._words_before[span[1] + 1] > self._words_before[span[0]]

    def score(self, span: Span) -> float:
        """The words there less what stands among them: names, times, counters, links."""
        words = self._words_before[span[1] + 1] - self._words_before[span[0]]
        return words - (self._noise_before[span[1] + 1] - self._noise_before[span[0]])

    def _is_frame(self, line: Line, repeats: Counter[str]) -> bool:
        # Commands that several posts show are no frame.
        is_said = line.container.tag == "pre" or END_OF_SENTENCE.search(line.text) is not None
        is_repeated = not is_said and repeats[_DIGITS.sub("0", line.text)] > 1
        is_title = len(line.text) >= MIN_CHARS_OF_TITLE and one_line(line.text) in self._title
        is_link = line.link_chars > MAX_LINK_SHARE * len(line.text)
        if is_repeated or is_title or is_link or is_mark(line.text) or is_of_software(line.text):
            return True
        if line.container not in self._elsewhere:
            self._elsewhere[line.container] = is_elsewhere(line.container)
        return self._elsewhere[line.container]

    def _kind_of_line(self, line: Line) -> Kind:
        return self._kind(line.container), self._kind(line.container.getparent())

    def _kind(self, element: HtmlElement | None) -> Kind:
        if element is None:
            return ()
        if element not in self._kinds:
            self._kinds[element] = _kind(element, _MAX_LEVELS_OF_KIND)
        return self._kinds[element]


def _kind(element: HtmlElement | None, levels: int) -> Kind:
    """Tag and class, or else id, the numbers of both left out; of a box without either also what it stands in."""
    if element is None or levels == 0:
        return ()
    named = _NUMBERS.sub("", element.get("class") or element.get("id") or "")
    return (element.tag, named, *(() if named else _kind(element.getparent(), levels - 1)))


def _words(line: Line) -> float:
    worth = weight(line)
    return max(worth, float(line.own_chars)) if worth else 0.0
