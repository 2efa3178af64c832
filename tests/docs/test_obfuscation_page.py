"""docs/obfuscation.md has every obfuscation with the words of its record."""

import re
from pathlib import Path

from core.obfuscations import Obfuscation

PAGE = (Path(__file__).resolve().parents[2] / "docs" / "obfuscation.md").read_text("utf-8")


def row(kind: Obfuscation) -> str:
    module = kind.repair.rpartition(".")[0].replace(".", "/")
    where = f"`{module}.py`" if module else "no: left out" if kind is Obfuscation.SLOW_PARTS else "comparison"
    return f"| `{kind}` | {kind.label}, {kind.label.in_language('zh')} | {kind.explanation} | {where} |"


def test_the_page_has_every_obfuscation_with_its_words() -> None:
    table = [row(kind) for kind in Obfuscation]
    stated = re.findall(r"^\| `[a-z_]+` \|.*\|$", PAGE, flags=re.MULTILINE)
    assert stated == table, "write into docs/obfuscation.md:\n" + "\n".join(table)
