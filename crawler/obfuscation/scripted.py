"""Restores text that the scripts of a page assemble, by running them in a process with a recording document.

Only texts that were encoded, split or reversed are restored. A script that writes plain text hides nothing.
"""

import atexit
import re
from collections.abc import Iterator
from functools import cache
from typing import Any

from lxml import html
from lxml.etree import ParserError
from lxml.html import HtmlElement

from core.obfuscations import Obfuscation
from core.text import storable
from crawler.characters.repertoire import count_han
from crawler.obfuscation.repairs import MarkedPage, Repair, Repaired
from crawler.obfuscation.script_engine import MAX_MEMORY_BYTES, run_scripts
from crawler.obfuscation.worker_process import WorkerProcess
from crawler.opening import SkippedPart

MAX_SCRIPT_CHARS = 1_500_000  # in all scripts of a page
MIN_HAN = 2  # of the written text
MAX_CPU_S = 0.2  # for the scripts of one page; chosen: a script that decodes a chapter takes 5 ms (2026-11)
MAX_SECONDS = 20.0  # wall-clock time including the start of the process, however busy the machine is
# Signs that a script decodes text, and signs that it writes text. A script without both hides no visible text.
_DECODES = re.compile(
    r"atob|unescape|fromCharCode|fromCodePoint|decodeURI|Base64|TextDecoder|charCodeAt|\.join|\.reverse|\.split"
    r"|\\u[0-9a-fA-F]{4}|\\x[0-9a-fA-F]{2}|_0x[0-9a-f]|\w\[\d+\]\s*\+"
)
_WRITES = re.compile(
    r"\b(?:write(?:ln)?|innerHTML|textContent|innerText|outerHTML|insertAdjacentHTML|createTextNode)\b"
    r"|\.\s*(?:html|text|append)\s*\(|document\s*\[|_0x[0-9a-f]"
)
_ESCAPE = re.compile(r"\\[nrt]|[\\\s]")
_SIMPLE_SELECTOR = re.compile(r"^(?:[\w-]+)?(?:[#.][\w-]+)*$")


def _write_scripted(page: MarkedPage) -> list[Repaired]:
    """Insert the text that scripts assemble into the page's tree, and return a record of each."""
    scripts, sources = list[HtmlElement](), list[str]()
    left = MAX_SCRIPT_CHARS
    for script in page.tree.iter("script"):
        source = script.text or ""
        if source and not script.get("src") and "script" in script.get("type", "javascript") and len(source) <= left:
            scripts.append(script)
            sources.append(source)
            left -= len(source)
    if not any(map(_WRITES.search, sources)) or not any(map(_DECODES.search, sources)):
        return []
    given = _process().ask(sources, b"", MAX_SECONDS)
    if given is None:
        page.skipped.append(SkippedPart.SCRIPTS)
        return []
    plain = _ESCAPE.sub("", "\n".join(sources))
    example = " ".join(next(filter(_DECODES.search, sources)).split())
    repaired = []
    for place, is_script, markup in _places(page.tree, scripts, given[0]):
        parsed = _parse_markup(markup)
        if any(count_han(text) >= MIN_HAN and "".join(text.split()) not in plain for text in parsed.itertext()):
            if is_script:
                parsed.tail, place.tail = place.tail, None
                place.addnext(parsed)
            else:
                if not markup.startswith("\0"):
                    place.clear(keep_tail=True)
                place.append(parsed)
            repaired.append(Repaired(Obfuscation.SCRIPTED, parsed, 1, example))
    return repaired


@cache
def _process() -> WorkerProcess:
    """Return the process for scripts. It starts with the first page that may hide text in a script."""
    # The limit includes the interpreter and the result.
    process = WorkerProcess(run_scripts, 2 * MAX_MEMORY_BYTES, MAX_CPU_S)
    atexit.register(process.close)
    return process


def _places(tree: HtmlElement, scripts: list[HtmlElement], written: Any) -> Iterator[tuple[HtmlElement, bool, str]]:
    """Yield (element, is_script, markup) for each written text. is_script: True if the text replaces the script."""
    in_scripts, in_elements = written
    for script, markup in zip(scripts, in_scripts, strict=False):
        if markup:
            yield script, True, str(markup)
    for selector, markup in in_elements:
        place = _target(tree, str(selector))
        if place is not None:
            yield place, False, str(markup)


def _parse_markup(markup: str) -> HtmlElement:
    text = storable(markup)
    if "<" in text or "&" in text:
        try:
            return _with_blocks(html.fragment_fromstring(text, create_parent="div"))
        except (ParserError, ValueError):
            pass
    parent: HtmlElement = html.Element("span" if "<" not in text else "div")
    parent.text = text
    return parent


def _with_blocks(parent: HtmlElement) -> HtmlElement:
    """Turn a parent without paragraphs into an inline element, because its text continues the line around it."""
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


REPAIR = Repair(in_tree=_write_scripted, needs=frozenset({"script"}))
