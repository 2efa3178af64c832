"""Text that a page's own scripts assemble and write: read from the source where it needs no execution.

Only what was encoded, split or turned round is taken: a script that writes a plain text hides nothing.
"""

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field

from lxml import html
from lxml.etree import ParserError
from lxml.html import HtmlElement

from core.obfuscations import Obfuscation
from core.text import storable
from crawler.characters.repertoire import HAN, count_han
from crawler.obfuscation.repaired import Repaired
from crawler.obfuscation.repairs import MarkedPage, Repair
from crawler.obfuscation.script_expressions import Expression, NoValue, Value, require_small
from crawler.reading_steps import ReadingSteps, Step

MAX_SCRIPT_CHARS = 1_500_000  # of a page's scripts together
MAX_STATEMENTS = 3_000
MAX_BOUND_CHARS = 4_000_000  # of all that names stand for
MIN_HAN = 2  # of what is written
_SIGN = re.compile(
    r"atob|unescape|fromCharCode|fromCodePoint|decodeURI|Base64|\.join|\.reverse|\.split|\\u[0-9a-fA-F]{4}|\w\[\d+\]\s*\+"
)
# By what a script writes; without any of them what it assembles is not shown.
_WRITES = re.compile(
    r"\b(?:write(?:ln)?|innerHTML|textContent|innerText|outerHTML|insertAdjacentHTML)\b|\.\s*(?:html|text|append)\s*\("
)
_NAME = r"[A-Za-z_$][\w$]*"
_STATEMENT = re.compile(
    rf"""(?P<write>document\s*\.\s*write(?:ln)?\s*\(\s*)"""
    rf"""|(?:document\s*\.\s*(?P<by>getElementById|querySelector)\s*\(\s*(?P<quote>["'])(?P<where>[^"']{{1,100}})(?P=quote)\s*\)"""
    rf"""|\$\s*\(\s*(?P<quote2>["'])(?P<selector>[^"']{{1,100}})(?P=quote2)\s*\)|(?P<variable>{_NAME}))"""
    rf"""\s*\.\s*(?:(?P<property>innerHTML|textContent|innerText|outerHTML)\s*(?P<adds>\+)?=(?!=)\s*"""
    rf"""|(?P<method>html|text|append)\s*\(\s*|insertAdjacentHTML\s*\(\s*["'](?P<at>\w+)["']\s*,\s*)"""
    rf"""|(?:(?:var|let|const)\s+|[;,{{\n]\s*)(?P<name>{_NAME})\s*(?P<joins>\+)?=(?![=>])\s*"""
)
_WORD, _ESCAPED = re.compile(_NAME), re.compile(r"\\[ux][0-9a-fA-F]{2}")
_ELEMENT = re.compile(r"""document\s*\.\s*(getElementById|querySelector)\s*\(\s*["']([^"']{1,100})["']\s*\)""")
_SIMPLE_SELECTOR = re.compile(r"^(?:[\w-]+)?(?:[#.][\w-]+)*$")


@dataclass(frozen=True, slots=True)
class _Written:
    """A text that a script writes: in the place of the script, or into the element that `selector` names."""

    text: str
    selector: str
    is_markup: bool
    is_added: bool
    source: str


@dataclass(slots=True)
class _Names:
    """What the names of a page's scripts stand for: values, and selectors of elements."""

    steps: ReadingSteps
    values: dict[str, Value] = field(default_factory=dict)
    selectors: dict[str, str] = field(default_factory=dict)
    assembled: set[str] = field(default_factory=set)  # those whose value was decoded or joined
    chars_left: int = MAX_BOUND_CHARS

    def bind(self, name: str, value: Value, *, is_assembled: bool) -> None:
        self.chars_left -= require_small(value)
        if self.chars_left < 0 or len(self.values) >= MAX_STATEMENTS:
            raise NoValue
        self.values[name] = value
        (self.assembled.add if is_assembled else self.assembled.discard)(name)


def write_scripted(tree: HtmlElement, steps: ReadingSteps | None = None) -> list[Repaired]:
    """Put into `tree` (changed in place) what its scripts assemble; returns what was put there.

    steps: raise TooCostly where that takes too long.
    """
    repaired: list[Repaired] = []
    names = _Names(steps or ReadingSteps())
    left = MAX_SCRIPT_CHARS
    scripts = list(tree.iter("script"))
    writing = [place for place, script in enumerate(scripts) if _WRITES.search(script.text or "")]
    for script in scripts[: max(writing, default=-1) + 1]:
        source = script.text or ""
        left -= len(source)
        if left < 0 or not source or script.get("src"):
            continue
        has_signs = bool(_SIGN.search(source)) or bool(names.values)
        for written in _writings(source, names) if has_signs else ():
            names.steps.check()
            place = _placed(tree, script, written)
            if place is not None:
                repaired.append(Repaired(Obfuscation.SCRIPTED, place, 1, " ".join(written.source.split())))
    return repaired


def _writings(source: str, names: _Names) -> Iterator[_Written]:
    names.assembled.clear()
    at, statements = 0, 0
    while statements < MAX_STATEMENTS and (match := _STATEMENT.search(source, at)):
        names.steps.check()
        statements += 1
        at = match.end()
        element = _ELEMENT.match(source, at)
        if match["name"] and element:
            names.selectors[match["name"]] = _selector(element[1], element[2])
            continue
        expression = Expression(source, names.values, at)
        try:
            value = expression.value()
            used = source[at : expression.end]
            is_assembled = expression.is_assembled or not names.assembled.isdisjoint(_WORD.findall(used))
            is_assembled = is_assembled or (bool(_ESCAPED.search(used)) and not HAN.search(used))
            at = expression.end
            if match["name"]:
                before = names.values.get(match["name"])
                if match["joins"] and isinstance(before, str) and isinstance(value, str):
                    value = before + value
                names.bind(match["name"], value, is_assembled=is_assembled)
                continue
        except NoValue:
            continue
        if is_assembled and isinstance(value, str) and count_han(value) >= MIN_HAN:
            yield _written(match, value, used, names.selectors)


def _written(match: re.Match[str], value: str, used: str, selectors: Mapping[str, str]) -> _Written:
    if match["where"]:
        selector = _selector(match["by"], match["where"])
    else:
        selector = match["selector"] or selectors.get(match["variable"] or "", "")
    is_markup = match["property"] in ("innerHTML", "outerHTML") or (
        match["property"] is None and match["method"] != "text"
    )
    is_added = bool(match["adds"]) or match["method"] == "append" or bool(match["at"])
    is_somewhere = bool(match["write"]) or bool(selector)
    return _Written(storable(value), selector if is_somewhere else "?", is_markup, is_added, used)


def _selector(by: str, where: str) -> str:
    return f"#{where}" if by == "getElementById" else where


def _placed(tree: HtmlElement, script: HtmlElement, written: _Written) -> HtmlElement | None:
    """Put a text where it belongs; the element that holds it now, None where there is none."""
    place = _target(tree, written.selector) if written.selector else None
    if written.selector and place is None:
        return None
    parsed = _parsed(written)
    if place is None:
        parsed.tail, script.tail = script.tail, None
        script.addnext(parsed)
        return parsed
    if not written.is_added:
        for child in list(place):
            place.remove(child)
        place.text = None
    place.append(parsed)
    return parsed


def _parsed(written: _Written) -> HtmlElement:
    if written.is_markup and "<" in written.text:
        try:
            return _with_blocks(html.fragment_fromstring(written.text, create_parent="div"))
        except (ParserError, ValueError):
            pass
    parent: HtmlElement = html.Element("span" if "<" not in written.text else "div")
    parent.text = written.text
    return parent


def _with_blocks(parent: HtmlElement) -> HtmlElement:
    """A writing without paragraphs of its own goes on in the line that it is written into."""
    if not any(
        child.tag in ("p", "div", "br", "li", "h1", "h2", "h3", "section", "article")
        for child in parent.iter()
        if child is not parent
    ):
        parent.tag = "span"
    return parent


def _target(tree: HtmlElement, selector: str) -> HtmlElement | None:
    if not _SIMPLE_SELECTOR.match(selector):
        return None
    if selector.startswith("#") and "." not in selector:
        found = tree.xpath("//*[@id=$id]", id=selector[1:])
    else:
        found = tree.cssselect(selector)
    return found[0] if isinstance(found, list) and found else None


def _repair(page: MarkedPage) -> list[Repaired]:
    return write_scripted(page.tree, page.steps)


REPAIR = Repair(in_tree=_repair, step=Step.SCRIPTS)
