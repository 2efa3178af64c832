"""Which obfuscation a difference between a page's source and its main text comes from."""

from collections.abc import Sequence

from core.marks import BESIDE
from core.obfuscations import Obfuscation, ObfuscationFound
from crawler.obfuscation.repaired import Removed
from crawler.obfuscation.text_origins import KindOf

_TAKEN_OUT = (Obfuscation.DECOYS, Obfuscation.HIDDEN_TEXT, Obfuscation.RUBY)


def kinds_of(removed: Sequence[Removed], found: Sequence[ObfuscationFound]) -> KindOf:
    """The kind of a mark by what was taken out and what stands there instead.

    removed: pieces that were hidden; found: what was undone in the main text. A line that was not hidden is one of
    another zone.
    """
    of_words = {word: each.kind for each in removed for word in each.text.split()}
    kinds = [one.kind for one in found]
    hidden = [kind for kind in _TAKEN_OUT if kind in kinds]
    changed = [kind for kind in kinds if kind not in hidden]

    def kind_of(old: str, new: str) -> str:
        if new.strip():
            return _of_changed(old, new, changed) or BESIDE
        words = old.split()
        if words and all(word in of_words for word in words):
            return of_words[words[0]].value
        if "\n" in old or not (hidden or changed):
            return BESIDE
        return (hidden or changed)[0].value

    return kind_of


def _of_changed(old: str, new: str, changed: Sequence[Obfuscation]) -> str:
    """A font draws as many characters as stand there, and what stands nowhere in the markup was drawn by none."""
    is_drawn = len(old) == len(new)
    likely = sorted(changed, key=lambda kind: (kind is Obfuscation.FONT) != is_drawn)
    return likely[0].value if likely else ""
