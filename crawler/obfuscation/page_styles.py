"""What the style sheets of a page say, with the linked ones where there is reason to ask for them."""

from collections.abc import Sequence

from lxml.html import HtmlElement

from crawler.characters.repertoire import count_han
from crawler.css.cascade import Cascade, cascade
from crawler.css.sheets import Sheet
from crawler.fetching.resources import NO_RESOURCES, Resources
from crawler.obfuscation.page_sheets import links_sheets, page_sheets
from crawler.obfuscation.repairs import Styled, repairs
from crawler.obfuscation.suspicion import needs_sheets
from crawler.obfuscation.visibility import hides_text, looker_at
from crawler.reading_steps import ReadingSteps, Step

MIN_HAN_FOR_FACES = 100


def styles_of(tree: HtmlElement, base: str, resources: Resources, steps: ReadingSteps, *, needs_faces: bool) -> Styled:
    """What the sheets of a page say, with the linked ones where there is reason to ask for them; who has looked at it.

    Text gives reason, and a sheet that brings a face: characters that stand for one another look like any text. So does
    a page that hides text by itself: a linked sheet may show it. Sheets are fetched once for a site. Where sheets take
    too long, there are none.
    """
    return steps.run(
        Step.STYLE,
        lambda: _with_sheets(tree, base, resources, steps, needs_faces=needs_faces),
        None,
    ) or (cascade(tree, (), steps=steps), None)


def _with_sheets(
    tree: HtmlElement, base: str, resources: Resources, steps: ReadingSteps, *, needs_faces: bool
) -> Styled:
    own = page_sheets(tree, base, resources, steps, with_linked=False)
    if resources is NO_RESOURCES or not (links_sheets(tree, base) or any("@import" in sheet.text for sheet in own)):
        return _cascade(tree, own, steps), None
    is_suspect = needs_sheets(tree)
    if is_suspect or (needs_faces and count_han(tree.text_content()) >= MIN_HAN_FOR_FACES):
        sheets = page_sheets(tree, base, resources, steps, with_linked=True)
        if is_suspect or any("@font-face" in sheet.text for sheet in sheets):
            return _cascade(tree, sheets, steps), None
    styles = _cascade(tree, own, steps)
    looker = looker_at(tree, styles, steps)
    sheets = page_sheets(tree, base, resources, steps, with_linked=True) if hides_text(looker) else own
    return (_cascade(tree, sheets, steps), None) if len(sheets) > len(own) else (styles, looker)


def _cascade(tree: HtmlElement, sheets: Sequence[Sheet], steps: ReadingSteps) -> Cascade:
    return cascade(tree, sheets, _watched(tree, sheets), steps)


def _watched(tree: HtmlElement, sheets: Sequence[Sheet]) -> frozenset[str]:
    """What beside hiding is worth applying: only what some sheet or attribute of the page speaks of."""
    text = "\n".join(sheet.text for sheet in sheets)
    return frozenset().union(*(repair.properties(tree, text) for repair in repairs()))
