"""Which lines of a thread are its posts: what stands again and again between lines that say who wrote when.

No name of any forum's boxes is asked for. Lines that state a time or a floor, in boxes of one kind, part the page; the
kind of box that holds most words in the parts holds the posts. What stands beside them (names and ranks of members,
signatures, counters, buttons, advertisements) is in other boxes.
"""

import re
from bisect import bisect_left, bisect_right
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import groupby

from lxml.html import HtmlElement

from crawler.main_text.cleaning import cleaned
from crawler.main_text.headline import one_line
from crawler.main_text.post_boxes import MIN_CHARS_OF_TITLE, MIN_MARKS, OWN_LINES, PageBoxes, Span
from crawler.main_text.post_marks import END_OF_SENTENCE, blocks, is_answer, is_of_software
from crawler.markup import Line

# In how many of the parts a kind of box has to stand: posts that were deleted or hold a picture alone have none.
MIN_COVERAGE = 0.5
# How much of the words of paragraphs a box around them has to hold to be the post.
MIN_SHARE_OF_BOXES = 0.5
# Marks of two kinds that stand by turns are of the same posts: a time and a floor.
MIN_SHARE_BY_TURNS = 0.8
_OF_TEXT = frozenset({OWN_LINES, "p", "h1", "h2", "h3", "h4", "h5", "h6", "pre", "blockquote", "ul", "ol", "center"})
_SEPARATORS = re.compile(r"\s*[-_|·—–»【】]+\s*")
MAX_CHARS_OF_TITLE, MIN_CHARS_OF_SENTENCE = 120, 15
Places = frozenset[int]
_NONE: Places = frozenset()


@dataclass(frozen=True, slots=True)
class Posts:
    """lines: of a thread's posts in their order; speaking: these and all others of the page that hold words."""

    lines: list[Line]
    speaking: list[Line]


def posts(tree: HtmlElement, page: Sequence[Line], main: HtmlElement | None) -> Posts:
    """The posts of a thread, the first one with them; no lines where fewer than two are found.

    main: the box that running text stands in, by density.
    """
    title = one_line(tree.findtext(".//title") or "")
    boxes = PageBoxes(page, title)
    first, last = boxes.spans[main] if main is not None and main in boxes.spans else (0, -1)
    found = _Thread(boxes, title, range(first, last + 1)).places()
    kept = {place for place in found if not is_of_software(page[place].text)}
    speaking = [line for place, line in enumerate(page) if place in kept or boxes.words[place]]
    return Posts([page[place] for place in sorted(kept)], speaking)


@dataclass(frozen=True, slots=True)
class _Group:
    """Lines of posts that stand in boxes of one kind, what they weigh, and the marks that part them."""

    places: Places = _NONE
    score: float = 0.0
    marks: tuple[int, ...] = ()


@dataclass(frozen=True, slots=True)
class _Thread:
    """A thread's page. main: the places of the running text, by density."""

    boxes: PageBoxes
    title: str
    main: range

    def places(self) -> Places:
        """Those of the opening and of all posts."""
        parting = self.boxes.parting_marks()
        best = self._best(parting)
        if not best.places:
            parting = self.boxes.parting_members()
            best = self._best(parting)
        if not best.places:
            return self._question_and_answer()
        if self.main and self.main[0] > max(best.places):
            return _NONE
        found = best.places
        for marks in parting:
            if not _by_turns(marks, best.marks):
                group = self._group(marks, found)
                found |= group.places if self._belongs(group, best) else _NONE
        return found | self._opening(min(found))

    def _best(self, parting: Iterable[Sequence[int]]) -> _Group:
        return max((self._group(marks, _NONE) for marks in parting), key=lambda group: group.score, default=_Group())

    def _group(self, marks: Sequence[int], taken: Places) -> _Group:
        """What stands between marks of one kind: the boxes of the kind that holds most words there."""
        already = sorted(taken)
        best = best_of_text = _Group()
        for kind, spans in self.boxes.by_kind.items():
            group = self._between(marks, [span for span in spans if not _holds(span, already)])
            if kind[0] in _OF_TEXT:
                best_of_text = max(best_of_text, group, key=lambda each: each.score)
            else:
                best = max(best, group, key=lambda each: each.score)
        # Paragraphs are not the posts where a box around them is: lists and tables of the post would be lost.
        return best if best.score >= MIN_SHARE_OF_BOXES * best_of_text.score else best_of_text

    def _between(self, marks: Sequence[int], spans: Iterable[Span]) -> _Group:
        posts = list(_outermost(span for span in spans if not _holds(span, marks)))
        parts = {part: list(run) for part, run in groupby(posts, key=lambda post: bisect_left(marks, post[0]))}
        if len(parts) < max(MIN_MARKS, MIN_COVERAGE * len(marks)):
            return _Group()
        # Of several boxes in a part those without words are frames; a lone one is a post of links or pictures.
        posts = [post for run in parts.values() for post in ([each for each in run if self.boxes.speaks(each)] or run)]
        places = frozenset(place for post in posts for place in _range(post))
        return _Group(places, sum(map(self.boxes.score, posts)), tuple(marks))

    def _belongs(self, group: _Group, best: _Group) -> bool:
        """Whether other boxes of posts stand among the best ones, as answers to answers do."""
        if not group.places:
            return False
        first, last = self._around(min(best.places), max(best.places))
        return first <= min(group.places) and max(group.places) <= last

    def _around(self, first: int, last: int) -> Span:
        """What the smallest box around two lines holds."""
        above = set(blocks(self.boxes.page[last].container))
        around = next((node for node in blocks(self.boxes.page[first].container) if node in above), None)
        return (first, last) if around is None else self.boxes.spans[around]

    def _opening(self, first: int) -> Places:
        """The first post or question, built unlike the rest: running text, and sentences between it and the title."""
        heading = self._heading(first)
        main = _NONE
        if self.main and heading < self.main[-1] < first:
            main = self._cleaned([place for place in self.main if place > heading])
            first = self.main[0]
        above = range(heading + 1, first if heading >= 0 else 0)
        return main | frozenset(filter(self._is_sentence, above))

    def _question_and_answer(self) -> Places:
        """A question with one answer: what stands behind it with a time or a name of its own, in a box called so."""
        if not self.main:
            return _NONE
        marks = {place for places in self.boxes.marks.values() for place in places if place > self.main[-1]}
        spans = {self._answer(mark) for mark in marks}
        answers = {place for span in spans if span for place in _range(span) if self.boxes.words[place]}
        question = self._opening(self.main[-1] + 1)
        return question | answers if answers or min(question, default=self.main[0]) < self.main[0] else _NONE

    def _answer(self, mark: int) -> Span | None:
        """The smallest box with words around a mark, if it is called an answer and stands behind the question."""
        for box in blocks(self.boxes.page[mark].container):
            span = self.boxes.spans[box]
            if span[0] <= self.main[-1]:
                break
            if self.boxes.speaks(span):
                return span if is_answer(box) else None
        return None

    def _heading(self, first: int) -> int:
        """The last line before `first` that has most in common with the page's title; -1 for none."""
        names = [part for part in _SEPARATORS.split(self.title) if len(part) >= MIN_CHARS_OF_TITLE]
        alike = [(self._likeness(line.text, names), place) for place, line in enumerate(self.boxes.page[:first])]
        likeness, place = max(alike, default=(0, -1))
        return place if likeness else -1

    def _likeness(self, text: str, names: Sequence[str]) -> int:
        """How many characters a line shares with a title that it is part of, or that it says with something before."""
        line = one_line(text[:MAX_CHARS_OF_TITLE])
        whole = len(line) if len(line) >= MIN_CHARS_OF_TITLE and line in self.title else 0
        return max([whole, *(len(name) for name in names if name in line and len(line) <= 2 * len(name))])

    def _cleaned(self, places: Sequence[int]) -> Places:
        ids = {id(line) for line in cleaned([self.boxes.page[place] for place in places])}
        return frozenset(place for place in places if id(self.boxes.page[place]) in ids)

    def _is_sentence(self, place: int) -> bool:
        words = self.boxes.words[place]
        is_ended = END_OF_SENTENCE.search(self.boxes.page[place].text) is not None
        return words >= MIN_CHARS_OF_SENTENCE or (words > 0 and is_ended)


def _by_turns(marks: Sequence[int], others: Sequence[int]) -> bool:
    """Whether nearly all parts that `others` make hold as many marks: both are of the same posts."""
    parts = Counter(bisect_right(others, mark) for mark in marks)
    [(_, parts_alike)] = Counter(parts.values()).most_common(1)
    return parts_alike >= MIN_SHARE_BY_TURNS * max(len(parts), len(others))


def _holds(span: Span, places: Sequence[int]) -> bool:
    """Whether any of sorted places lies there."""
    return bisect_left(places, span[0]) < bisect_right(places, span[1])


def _range(span: Span) -> range:
    return range(span[0], span[1] + 1)


def _outermost(spans: Iterable[Span]) -> Iterator[Span]:
    """Of sorted spans those that no earlier one holds."""
    end = -1
    for first, last in spans:
        if first > end:
            yield first, last
            end = last
