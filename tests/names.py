"""Finds names that nobody would search for: python -m tests.names. Prints each; exit code 1 if there is any.

A function is a verb phrase or names what it returns: no bare participle (`told`), no preposition at the end (`is_on`).
A class name means one thing in the whole product, a method name such as `read` one protocol. A test's name says the
behaviour in at most 80 characters.
"""

import ast
import re
import subprocess
import sys
from collections import defaultdict
from collections.abc import Iterator
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]


def _words(listed: str) -> frozenset[str]:
    return frozenset(listed.split())


PREPOSITIONS = _words(
    "of in at by to for from with on into under over about after before between behind beside beyond through until"
    " since within without against near as than"
)
PHRASAL = _words("log_in sign_in fill_in opt_in zoom_in wait_until")
IRREGULAR = _words(
    "told shown said found made kept taken given seen left known sent drawn held lost met built bound led gone worn"
    " written spoken chosen begun sworn torn won spent brought thought sold stood laid paid understood done had been"
    " born broken hidden forgotten fallen grown thrown strewn swept meant dealt felt heard"
)
NOT_PARTICIPLES = _words("feed need seed embed speed shed breed exceed proceed succeed weed bed")
MAX_TEST_CHARS = 80
_TEST = re.compile(r"^\s*(?:async )?def (test_\w+)", re.MULTILINE)
GENERIC, MAX_CLASSES = _words("of add read taken"), 3
BANNED = _words("strewn rivals deeds owing strides")  # words that earlier renames removed
FRAMEWORK = _words("Meta Migration Command")
TWISTED, SCRAPY = "Twisted calls it", "Scrapy calls it when a spider ends"
ALLOWED = {"addressResolved": TWISTED, "dataReceived": TWISTED, "closed": SCRAPY}  # with the reason; at most 40


def faults() -> Iterator[tuple[str, str]]:
    """Yield each fault with its kind, one line each."""
    classes: dict[str, list[str]] = defaultdict(list)
    methods: dict[str, list[str]] = defaultdict(list)
    for path, tree in _sources():
        for node in tree.body:
            if isinstance(node, ast.ClassDef) and node.name not in FRAMEWORK:
                classes[node.name].append(f"{path}:{node.lineno}")
                for method in _generic_methods(node):
                    methods[method.name].append(f"{path}:{method.lineno}")
        for each in ast.walk(tree):
            if isinstance(each, ast.FunctionDef | ast.AsyncFunctionDef):
                yield from ((kind, f"{path}:{each.lineno}: {each.name}") for kind in _kinds(each.name))
    yield from (("class twice", f"{name}: {', '.join(at)}") for name, at in classes.items() if len(at) > 1)
    many = ((name, at) for name, at in methods.items() if len(at) > MAX_CLASSES)
    yield from (("method on many classes", f"{name}: {', '.join(at)}") for name, at in many)
    for path in _tracked("tests/*.py"):
        names = _TEST.findall((ROOT / path).read_text(encoding="utf-8"))
        yield from (("long name of a test", f"{path}: {name}") for name in names if len(name) > MAX_TEST_CHARS)


def _kinds(function: str) -> Iterator[str]:
    """Yield the kinds of faults of one function's name."""
    name = function.strip("_")
    words = name.split("_")
    if name in ALLOWED:
        return
    if len(words) == 1 and (name in IRREGULAR or (name.endswith("ed") and name not in NOT_PARTICIPLES)):
        yield "participle"
    elif words[-1] in PREPOSITIONS and name not in PHRASAL:
        yield "preposition"
    if BANNED.intersection(words):
        yield "banned word"


def _generic_methods(node: ast.ClassDef) -> list[ast.FunctionDef]:
    if any(isinstance(base, ast.Name) and base.id == "Protocol" for base in node.bases):
        return []
    return [each for each in node.body if isinstance(each, ast.FunctionDef) and each.name in GENERIC]


def _sources() -> Iterator[tuple[str, ast.Module]]:
    """Yield the tracked modules of the product."""
    for path in _tracked("*.py"):
        if not path.startswith(("tests/", "laboratory/")) and "/migrations/" not in path:
            yield path, ast.parse((ROOT / path).read_text(encoding="utf-8"))


def _tracked(pattern: str) -> list[str]:
    return subprocess.check_output(["git", "ls-files", pattern], cwd=ROOT, text=True).split()


if __name__ == "__main__":
    found = sorted(faults())
    sys.stdout.writelines(f"{kind}: {fault}\n" for kind, fault in found)
    sys.stdout.write(f"{len(found)} names that nobody would search for\n")
    sys.exit(bool(found))
