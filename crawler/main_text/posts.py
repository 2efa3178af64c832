"""Finds the posts of a thread: boxes that recur between lines that state who wrote when.

No class names of particular forum software are used. Lines that state a time or a floor number, in boxes of the same
kind, divide the page into parts. The posts are in the kind of box with the most words in these parts. Everything around
them is in other boxes: names and ranks of members, signatures, counters, buttons, advertisements.
"""

import re
from bisect import bisect_left, bisect_right
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import accumulate, groupby

from lxml.html import HtmlElement

from crawler.main_text.density import MAX_LINK_SHARE, drop_navigation, weight
from crawler.main_text.metadata import one_line
from crawler.main_text.remarks import (
    END_OF_SENTENCE,
    blocks,
    is_answer,
    is_elsewhere,
    is_mark,
    is_member,
    is_of_software,
)
from crawler.markup import Line

Kind = tuple[object, ...]
Span = tuple[int, int]  # the indexes of the first and the last line
OWN_LINES = "own"
MIN_CHARS_OF_TITLE = 5
MIN_MARKS = 2
MAX_KINDS_OF_MARKS = 20  # real threads have up to 9 (2026-11, own layouts and public pages)
# Boxes of marks contain little else. A post that contains its own mark also contains words.
MIN_SHARE_OF_MARKS = 0.2
_MAX_LEVELS_OF_KIND = 3
_NUMBERS = re.compile(r"[0-9a-f]{8,}|\d+")
_DIGITS = re.compile(r"\d+")


class PageBoxes:
    """The lines of a page, its boxes by kind, and its marks, which are the lines that state who wrote when."""

    def __init__(self, page: Sequence[Line], title: str) -> None:
        self.page, self._title = page, title
        self._kinds: dict[HtmlElement, Kind] = {}
        self._elsewhere: dict[HtmlElement, bool] = {}
        repeats = Counter(_DIGITS.sub("0", line.text) for line in page)
        frames = [self._is_frame(line, repeats) for line in page]
        # The words of a line are its characters plus weighted punctuation. Foreign words and code count neither for nor
        # against a post.
        self.words = [0.0 if frame else _words(line) for frame, line in zip(frames, page, strict=True)]
        self._words_before = [0.0, *accumulate(self.words)]
        noise = (float(len(line.text)) if frame else 0.0 for frame, line in zip(frames, page, strict=True))
        self._noise_before = [0.0, *accumulate(noise)]

    @cached_property
    def marks(self) -> dict[Kind, list[int]]:
        """The indexes of the lines that state a time or a floor number, by the kinds of their box and its parent."""
        return self._by_kind_of_line(place for place, line in enumerate(self.page) if is_mark(line.text))

    def dividing_marks(self) -> list[list[int]]:
        """Return the groups of marks that may divide the page into posts, the largest first."""
        return self._dividing_kinds(self.marks)

    def dividing_members(self) -> list[list[int]]:
        """Return the groups of member names that may divide the page into posts. For pages that may state no times."""
        return self._dividing_kinds(
            self._by_kind_of_line(place for place, line in enumerate(self.page) if is_member(line))
        )

    def _by_kind_of_line(self, places: Iterable[int]) -> dict[Kind, list[int]]:
        found: dict[Kind, list[int]] = defaultdict(list)
        for place in places:
            found[self._kind_of_line(self.page[place])].append(place)
        return dict(found)

    def _dividing_kinds(self, marks: dict[Kind, list[int]]) -> list[list[int]]:
        counts = Counter(map(self._kind_of_line, self.page))
        found = [
            places for kind, places in marks.items() if len(places) >= max(MIN_MARKS, MIN_SHARE_OF_MARKS * counts[kind])
        ]
        return sorted(found, key=len, reverse=True)[:MAX_KINDS_OF_MARKS]

    @cached_property
    def spans(self) -> dict[HtmlElement, Span]:
        """The first and the last line of every box."""
        spans: dict[HtmlElement, Span] = {}
        for place, line in enumerate(self.page):
            for node in blocks(line.container):
                spans[node] = (spans[node][0] if node in spans else place, place)
        return spans

    @cached_property
    def by_kind(self) -> dict[Kind, list[Span]]:
        """The spans of the boxes of each kind that occurs at least twice, in order. OWN_LINES marks single lines.

        A post that contains its own mark has no separate box for its words, so they are taken line by line.
        """
        found: dict[Kind, list[Span]] = defaultdict(list)
        for node, span in self.spans.items():
            found[self._kind(node)].append(span)
        for place, line in enumerate(self.page):
            if self.words[place]:
                found[OWN_LINES, *self._kind(line.container)].append((place, place))
        return {kind: sorted(spans) for kind, spans in found.items() if len(spans) >= MIN_MARKS}

    def has_words(self, span: Span) -> bool:
        """Return True if the lines of a span contain words."""
        return self._words_before[span[1] + 1] > self._words_before[span[0]]

    def score(self, span: Span) -> float:
        """Return the number of words in a span minus the noise among them: names, times, counters, links."""
        words = self._words_before[span[1] + 1] - self._words_before[span[0]]
        return words - (self._noise_before[span[1] + 1] - self._noise_before[span[0]])

    def _is_frame(self, line: Line, repeats: Counter[str]) -> bool:
        # Command lines that several posts quote are not frames.
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
    """Return the kind of a box: its tag, and its class or else its id without digits.

    An unnamed box adds its ancestors.
    """
    if element is None or levels == 0:
        return ()
    named = _NUMBERS.sub("", element.get("class") or element.get("id") or "")
    return (element.tag, named, *(() if named else _kind(element.getparent(), levels - 1)))


def _words(line: Line) -> float:
    worth = weight(line)
    return max(worth, float(len(line.text) - line.link_chars)) if worth else 0.0


# The share of parts that must contain a box of the kind. Posts that were deleted or contain only an image have none.
MIN_COVERAGE = 0.5
# The share of the words in paragraphs that a box around them must contain to be the post.
MIN_SHARE_OF_BOXES = 0.5
# If marks of two kinds alternate, such as a time and a floor number, both belong to the same posts.
MIN_SHARE_BY_TURNS = 0.8
_OF_TEXT = frozenset({OWN_LINES, "p", "h1", "h2", "h3", "h4", "h5", "h6", "pre", "blockquote", "ul", "ol", "center"})
_SEPARATORS = re.compile(r"\s*[-_|·—–»【】]+\s*")
MAX_CHARS_OF_TITLE, MIN_CHARS_OF_SENTENCE = 120, 15
Places = frozenset[int]
_NONE: Places = frozenset()


@dataclass(frozen=True, slots=True)
class Posts:
    """The posts of a thread.

    lines: the lines of the posts, in order. speaking: these and all other lines of the page that contain words
    """

    lines: list[Line]
    speaking: list[Line]


def posts(tree: HtmlElement, page: Sequence[Line], main: HtmlElement | None) -> Posts:
    """Return the posts of a thread, including the first one; no lines if fewer than two are found.

    main: the box with the running text, by density
    """
    title = one_line(tree.findtext(".//title") or "")
    boxes = PageBoxes(page, title)
    first, last = boxes.spans[main] if main is not None and main in boxes.spans else (0, -1)
    found = _Thread(boxes, title, range(first, last + 1)).places()
    kept = {place for place in found if not is_of_software(page[place].text)}
    speaking = [line for place, line in enumerate(page) if place in kept or boxes.words[place]]
    return Posts([page[place] for place in sorted(kept)], speaking)


@dataclass(frozen=True, slots=True)
class _PostGroup:
    """The lines of posts in boxes of one kind, their score, and the marks that divide the posts."""

    places: Places = _NONE
    score: float = 0.0
    marks: tuple[int, ...] = ()


@dataclass(frozen=True, slots=True)
class _Thread:
    """The page of a thread. main: the indexes of the lines of running text, by density."""

    boxes: PageBoxes
    title: str
    main: range

    def places(self) -> Places:
        """Return the indexes of the lines of all posts, including the first one."""
        parting = self.boxes.dividing_marks()
        best = self._best_group(parting)
        if not best.places:
            parting = self.boxes.dividing_members()
            best = self._best_group(parting)
        if not best.places:
            return self._question_and_answer()
        if self.main and self.main[0] > max(best.places):
            return _NONE
        found = best.places
        for marks in parting:
            if not _marks_alternate(marks, best.marks):
                group = self._group(marks, found)
                found |= group.places if self._belongs(group, best) else _NONE
        return found | self._opening(min(found))

    def _best_group(self, parting: Iterable[Sequence[int]]) -> _PostGroup:
        return max(
            (self._group(marks, _NONE) for marks in parting), key=lambda group: group.score, default=_PostGroup()
        )

    def _group(self, marks: Sequence[int], taken: Places) -> _PostGroup:
        """Return the boxes between marks, of the kind of box with the highest score.

        taken: lines of posts found before.
        """
        already = sorted(taken)
        best = best_of_text = _PostGroup()
        for kind, spans in self.boxes.by_kind.items():
            group = self._group_between_marks(marks, [span for span in spans if not _contains_any(span, already)])
            if kind[0] in _OF_TEXT:
                best_of_text = max(best_of_text, group, key=lambda each: each.score)
            else:
                best = max(best, group, key=lambda each: each.score)
        # Prefer a box around the paragraphs as the post, because the paragraphs would lack its lists and tables.
        return best if best.score >= MIN_SHARE_OF_BOXES * best_of_text.score else best_of_text

    def _group_between_marks(self, marks: Sequence[int], spans: Iterable[Span]) -> _PostGroup:
        posts = list(_outermost(span for span in spans if not _contains_any(span, marks)))
        parts = {part: list(run) for part, run in groupby(posts, key=lambda post: bisect_left(marks, post[0]))}
        if len(parts) < max(MIN_MARKS, MIN_COVERAGE * len(marks)):
            return _PostGroup()
        # If a part has several boxes, those without words are frames. A single one is a post of links or images.
        posts = [
            post for run in parts.values() for post in ([each for each in run if self.boxes.has_words(each)] or run)
        ]
        places = frozenset(place for post in posts for place in _range(post))
        return _PostGroup(places, sum(map(self.boxes.score, posts)), tuple(marks))

    def _belongs(self, group: _PostGroup, best: _PostGroup) -> bool:
        """Return True if the boxes of a group are among the posts of the best group, as answers to answers are."""
        if not group.places:
            return False
        first, last = self._enclosing_span(min(best.places), max(best.places))
        return first <= min(group.places) and max(group.places) <= last

    def _enclosing_span(self, first: int, last: int) -> Span:
        """Return the first and the last line of the smallest box around two lines."""
        above = set(blocks(self.boxes.page[last].container))
        around = next((node for node in blocks(self.boxes.page[first].container) if node in above), None)
        return (first, last) if around is None else self.boxes.spans[around]

    def _opening(self, first: int) -> Places:
        """Return the indexes of the lines of the first post or question before `first`.

        It is built differently from the other posts: running text with sentences after the title.
        """
        heading = self._heading(first)
        main = _NONE
        if self.main and heading < self.main[-1] < first:
            main = self._drop_navigation([place for place in self.main if place > heading])
            first = self.main[0]
        above = range(heading + 1, first if heading >= 0 else 0)
        return main | frozenset(filter(self._is_sentence, above))

    def _question_and_answer(self) -> Places:
        """Return the indexes of the lines of a question and its answer, for a page without repeated boxes.

        The answer is in a box that follows the question, is named as an answer and has its own time or name.
        """
        if not self.main:
            return _NONE
        marks = {place for places in self.boxes.marks.values() for place in places if place > self.main[-1]}
        spans = {self._answer(mark) for mark in marks}
        answers = {place for span in spans if span for place in _range(span) if self.boxes.words[place]}
        question = self._opening(self.main[-1] + 1)
        return question | answers if answers or min(question, default=self.main[0]) < self.main[0] else _NONE

    def _answer(self, mark: int) -> Span | None:
        """Return the smallest box with words around a mark, if it is named as an answer and follows the question.

        Return None otherwise.
        """
        for box in blocks(self.boxes.page[mark].container):
            span = self.boxes.spans[box]
            if span[0] <= self.main[-1]:
                break
            if self.boxes.has_words(span):
                return span if is_answer(box) else None
        return None

    def _heading(self, first: int) -> int:
        """Return the index of the last line before `first` that shares most with the page's title.

        Return -1 if no line shares anything with it.
        """
        names = [part for part in _SEPARATORS.split(self.title) if len(part) >= MIN_CHARS_OF_TITLE]
        alike = [
            (self._count_shared_chars(line.text, names), place) for place, line in enumerate(self.boxes.page[:first])
        ]
        likeness, place = max(alike, default=(0, -1))
        return place if likeness else -1

    def _count_shared_chars(self, text: str, names: Sequence[str]) -> int:
        """Count the characters that a line shares with the page's title.

        The title contains the line, or a part of the title makes up at least half of the line.
        """
        line = one_line(text[:MAX_CHARS_OF_TITLE])
        whole = len(line) if len(line) >= MIN_CHARS_OF_TITLE and line in self.title else 0
        return max([whole, *(len(name) for name in names if name in line and len(line) <= 2 * len(name))])

    def _drop_navigation(self, places: Sequence[int]) -> Places:
        ids = {id(line) for line in drop_navigation([self.boxes.page[place] for place in places])}
        return frozenset(place for place in places if id(self.boxes.page[place]) in ids)

    def _is_sentence(self, place: int) -> bool:
        words = self.boxes.words[place]
        is_ended = END_OF_SENTENCE.search(self.boxes.page[place].text) is not None
        return words >= MIN_CHARS_OF_SENTENCE or (words > 0 and is_ended)


def _marks_alternate(marks: Sequence[int], others: Sequence[int]) -> bool:
    """Return True if `others` divide the marks evenly, so that both belong to the same posts."""
    parts = Counter(bisect_right(others, mark) for mark in marks)
    [(_, parts_alike)] = Counter(parts.values()).most_common(1)
    return parts_alike >= MIN_SHARE_BY_TURNS * max(len(parts), len(others))


def _contains_any(span: Span, places: Sequence[int]) -> bool:
    """Return True if a span contains any of the sorted indexes."""
    return bisect_left(places, span[0]) < bisect_right(places, span[1])


def _range(span: Span) -> range:
    return range(span[0], span[1] + 1)


def _outermost(spans: Iterable[Span]) -> Iterator[Span]:
    """Yield the spans that no earlier span contains. spans: in order."""
    end = -1
    for first, last in spans:
        if first > end:
            yield first, last
            end = last
