"""Print how the product hangs together: `python -m tests.structure`.

Imports that run upwards between applications, those in functions and dotted strings included; modules of at most 60
lines with one importer; classes without a framework base that have more than 15 methods; functions with more than 7
arguments, kernels and verbs left out.
"""

import ast
import re
import sys
from collections import defaultdict
from collections.abc import Iterator

from tests.size import ROOT, tracked

APPS = ("ui", "accounts", "works", "sites", "cases", "evidence", "notices", "rewrites", "review", "reports", "backups")
MAX_LINES, MAX_METHODS, MAX_ARGUMENTS = 60, 15, 7
_DOTTED = re.compile(r"webadmin(\.\w+)+")
_FREE = ("kernel", "xdrop", "jump_", "align.extension", "numbered_hits", "token_agreement", ".cli.", ".engines.")


def modules() -> dict[str, ast.Module]:
    """Every module of the product by its dotted name."""
    found = {}
    for path in tracked("*.py"):
        parts = path.relative_to(ROOT).with_suffix("").parts
        if parts[0] not in {"tests", "laboratory"} and "migrations" not in parts:
            found[".".join(parts).removesuffix(".__init__")] = ast.parse(path.read_text("utf-8"))
    return found


def imported(tree: ast.Module, known: set[str]) -> Iterator[str]:
    """The modules of the product that a module names in imports and strings."""
    for node in ast.walk(tree):
        if isinstance(node, ast.ImportFrom) and node.module:
            for alias in node.names:
                full = f"{node.module}.{alias.name}"
                yield full if full in known else node.module
        elif isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.Constant) and isinstance(node.value, str) and _DOTTED.fullmatch(node.value):
            yield node.value


def upward(name: str, other: str) -> bool:
    """Whether an application names one above it."""
    mine, theirs = (each.removeprefix("webadmin.").partition(".")[0] for each in (name, other))
    return {mine, theirs} <= {*APPS} and APPS.index(theirs) > APPS.index(mine)


def report() -> Iterator[str]:
    """The lines of the report."""
    trees = modules()
    importers: dict[str, set[str]] = defaultdict(set)
    pairs = [(name, other) for name, tree in trees.items() for other in imported(tree, set(trees))]
    yield from (f"upward: {name} -> {other}" for name, other in pairs if upward(name, other))
    for name, other in pairs:
        importers[other].add(name)
    for name, tree in trees.items():
        path = ROOT.joinpath(*name.split(".")).with_suffix(".py")
        if path.exists() and len(importers[name]) == 1 and path.read_text("utf-8").count("\n") <= MAX_LINES:
            yield f"small: {name} ({next(iter(importers[name]))})"
        for node in ast.walk(tree):
            if isinstance(node, ast.ClassDef) and not node.bases:
                count = sum(isinstance(each, ast.FunctionDef | ast.AsyncFunctionDef) for each in node.body)
                if count > MAX_METHODS:
                    yield f"methods: {name}.{node.name} {count}"
            if isinstance(node, ast.FunctionDef) and not any(each in f"{name}." for each in _FREE):
                count = len(
                    [each for each in (*node.args.args, *node.args.kwonlyargs) if each.arg not in {"self", "cls"}]
                )
                if count > MAX_ARGUMENTS:
                    yield f"arguments: {name}.{node.name} {count}"


if __name__ == "__main__":
    lines = list(report())
    kinds = [line.partition(":")[0] for line in lines]
    counts = ", ".join(f"{kind} {kinds.count(kind)}" for kind in ("upward", "small", "methods", "arguments"))
    sys.stdout.write("\n".join([*sorted(lines), counts, ""]))
