"""What a style sheet is made of, as far as it decides what text is seen, and in which order or shape."""

from dataclasses import dataclass, field
from functools import cached_property

from crawler.css.declarations import Declaration
from crawler.css.screens import ALL_SCREENS
from crawler.css.selectors import Namespaces

LayerName = tuple[str, ...]  # a layer, with those that it stands in; one without a name begins with a blank


@dataclass(frozen=True, slots=True)
class Sheet:
    """A style sheet as text. `base` is the address that its own references are relative to.

    media: the query of what refers to it; screens: further bounds; layer: what it is imported into.
    """

    text: str
    base: str = ""
    media: str = ""
    screens: int = ALL_SCREENS
    layer: LayerName = ()


@dataclass(frozen=True)
class Rule:
    """Declarations for elements. needs: for each of its selectors, classes, ids and tags that must be on the page."""

    selectors: str
    namespaces: Namespaces
    needs: tuple[frozenset[str], ...]
    declarations: tuple[Declaration, ...]
    screens: int
    layer: LayerName

    @cached_property
    def names(self) -> frozenset[str]:
        """The properties; "--" stands for all custom ones."""
        return frozenset("--" if each.name[:2] == "--" else each.name for each in self.declarations)

    @cached_property
    def has_variables(self) -> bool:
        return any("var(" in each.value for each in self.declarations)


@dataclass(frozen=True, slots=True)
class FontFace:
    """A face that a sheet brings along: its family in lower case, and its files as addresses, best known form first."""

    family: str
    sources: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Import:
    """What a sheet imports, before its own rules. earlier: the layers that were named before it."""

    address: str
    screens: int
    layer: LayerName
    earlier: tuple[LayerName, ...]


@dataclass(slots=True)
class SheetContent:
    """What stands in one sheet. animated: by the name of an animation, the properties that it changes."""

    rules: list[Rule] = field(default_factory=list)
    layers: list[LayerName] = field(default_factory=list)  # in the order in which they are first named
    faces: list[FontFace] = field(default_factory=list)
    animated: dict[str, frozenset[str]] = field(default_factory=dict)
    imports: list[Import] = field(default_factory=list)
