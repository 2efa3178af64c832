"""Finds names that nobody would search for: python -m tests.names [--list]. Exit code 1 if any kind of them grows.

A function is a verb phrase or names what it returns: no bare participle (`told`), no preposition at the end (`is_on`).
A class name means one thing in the whole product, a method name such as `read` one protocol. LEFT counts what is still
to be renamed; it may only fall.
"""

import ast
import subprocess
import sys
from collections import Counter, defaultdict
from collections.abc import Iterator
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
LEFT = {"participle": 4, "preposition": 1, "class twice": 0, "method on many classes": 12, "banned word": 0}


def _words(listed: str) -> frozenset[str]:
    return frozenset(listed.split())


PREPOSITIONS = _words(
    "of in at by to for from with on into under over about after before between behind beside beyond through until"
    " since within without against near as than"
)
PHRASAL = _words("log_in sign_in fill_in opt_in zoom_in")
IRREGULAR = _words(
    "told shown said found made kept taken given seen left known sent drawn held lost met built bound led gone worn"
    " written spoken chosen begun sworn torn won spent brought thought sold stood laid paid understood done had been"
    " born broken hidden forgotten fallen grown thrown strewn swept meant dealt felt heard"
)
NOT_PARTICIPLES = _words("feed need seed embed speed shed breed exceed proceed succeed weed bed")
GENERIC, MAX_CLASSES = _words("of add read taken"), 3
BANNED = _words("strewn rivals deeds owing strides")  # words that earlier renames removed
FRAMEWORK = _words("Meta Migration Command")
ALLOWED = {  # a name and its reason; at most 40
    "addressResolved": "Twisted calls it",
    "dataReceived": "Twisted calls it",
    "closed": "Scrapy calls it when a spider ends",
}


def faults() -> Iterator[tuple[str, str]]:
    """Give each fault with its kind, one line each."""
    classes: dict[str, list[str]] = defaultdict(list)
    methods: dict[str, list[str]] = defaultdict(list)
    for path in _sources():
        tree = ast.parse((ROOT / path).read_text(encoding="utf-8"))
        for node in tree.body:
            if isinstance(node, ast.ClassDef) and node.name not in FRAMEWORK:
                classes[node.name].append(f"{path}:{node.lineno}")
                for method in node.body:
                    if isinstance(method, ast.FunctionDef) and method.name in GENERIC and not _is_protocol(node):
                        methods[method.name].append(f"{path}:{method.lineno}")
        for each in ast.walk(tree):
            if isinstance(each, ast.FunctionDef | ast.AsyncFunctionDef):
                yield from ((kind, f"{path}:{each.lineno}: {each.name}") for kind in _kinds(each.name))
    yield from (("class twice", f"{name}: {', '.join(at)}") for name, at in classes.items() if len(at) > 1)
    for name, at in methods.items():
        if len(at) > MAX_CLASSES:
            yield from (("method on many classes", f"{place}: {name}") for place in at)


def _kinds(function: str) -> Iterator[str]:
    """The kinds of faults of one function's name."""
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


def _is_protocol(node: ast.ClassDef) -> bool:
    return any(isinstance(base, ast.Name) and base.id == "Protocol" for base in node.bases)


def _sources() -> list[str]:
    """The tracked modules of the product."""
    listed = subprocess.run(["git", "ls-files", "*.py"], cwd=ROOT, capture_output=True, text=True, check=True)
    aside = ("tests/", "laboratory/")
    return [path for path in listed.stdout.split() if not path.startswith(aside) and "/migrations/" not in path]


def main(arguments: list[str]) -> int:
    """Print the counts, and with --list every fault; returns the exit code."""
    found = list(faults())
    counts = Counter(kind for kind, _ in found)
    if "--list" in arguments:
        sys.stdout.writelines(f"{kind}: {fault}\n" for kind, fault in sorted(found))
    sys.stdout.writelines(f"{kind}: {counts[kind]} of at most {most}\n" for kind, most in LEFT.items())
    return int(any(counts[kind] > most for kind, most in LEFT.items()))


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
