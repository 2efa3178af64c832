"""What a repair of an obfuscation is, and what it is given: a page's tree with its styles, or the main text."""

from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from functools import cache, cached_property
from importlib import import_module

from lxml.html import HtmlElement

from core.obfuscations import Obfuscation, ObfuscationFound
from core.wording import Message
from crawler.css.cascade import Cascade
from crawler.fetching.resources import Resources
from crawler.obfuscation.fonts import FontReader
from crawler.obfuscation.picture_reader import PictureReader
from crawler.obfuscation.repaired import Removed, Repaired
from crawler.obfuscation.text_process import TextProcess
from crawler.obfuscation.unseen import Looker
from crawler.reading_steps import ReadingSteps, Step

Styled = tuple[Cascade, Looker | None]
TextRepair = Callable[[str, str], tuple[str, ObfuscationFound | None]]


@dataclass(eq=False)
class MarkedPage:
    """A page's tree, to be changed in place.

    base: what addresses on it are relative to. removed: what hidden text was taken out. style: what its sheets say,
    worked out when the first repair asks: scripts may have written to the tree before. notes: what could not be undone
    here, for the operator. steps: whether a repair takes too long is asked of them.
    """

    tree: HtmlElement
    url: str
    base: str
    resources: Resources
    fonts: FontReader | None
    pictures: PictureReader | None
    texts: TextProcess | None
    style: Callable[[], Styled]
    steps: ReadingSteps = field(default_factory=ReadingSteps)
    removed: list[Removed] = field(default_factory=list)
    notes: list[Message] = field(default_factory=list)

    @cached_property
    def _styled(self) -> Styled:
        return self.style()

    @property
    def styles(self) -> Cascade:
        return self._styled[0]

    @property
    def looker(self) -> Looker | None:
        """Who has looked at the page with these styles, if there was reason."""
        return self._styled[1]


@dataclass(frozen=True, slots=True)
class Repair:
    """How one obfuscation is detected and undone; each part finds nothing on an ordinary page.

    in_tree: changes the tree and says what it undid. in_text: from the main text and the page's host, the text without
    it and what was found; None for nothing. is_repeated: once more at the end, where others changed the text. step:
    what of reading a page it is.
    """

    in_tree: Callable[[MarkedPage], Iterable[Repaired]] | None = None
    in_text: TextRepair | None = None
    is_repeated: bool = False
    step: Step = Step.TEXT


@cache
def repairs() -> tuple[Repair, ...]:
    """Those of all obfuscations, each once, in their order."""
    return tuple(map(_loaded, dict.fromkeys(kind.repair for kind in Obfuscation if kind.repair)))


def _loaded(path: str) -> Repair:
    module, _, name = path.rpartition(".")
    repair = getattr(import_module(module), name)
    assert isinstance(repair, Repair)
    return repair
