"""Print the size of the tree: `python -m tests.size [--json]`.

Code lines are lines that hold a token other than a comment or a docstring; migrations are left out. The product is all
Python outside tests/ and laboratory/.
"""

import ast
import io
import json
import subprocess
import sys
import tokenize
from collections import Counter
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
LAYOUT = {tokenize.NEWLINE, tokenize.NL, tokenize.INDENT, tokenize.DEDENT, tokenize.COMMENT, tokenize.ENDMARKER}


def tracked(pattern: str) -> list[Path]:
    """Return the tracked files that match a pattern of git."""
    done = subprocess.run(["git", "ls-files", "-z", pattern], cwd=ROOT, capture_output=True, check=True, text=True)
    return [ROOT / name for name in done.stdout.split("\0") if name and (ROOT / name).is_file()]


def code_lines(source: str) -> int:
    """Count the lines that hold code.

    >>> code_lines('"docstring"\\n\\n# comment\\nx = (1,\\n     2)\\n')
    2
    """
    docstrings = {
        line
        for node in ast.walk(ast.parse(source))
        if isinstance(node, ast.Module | ast.ClassDef | ast.FunctionDef | ast.AsyncFunctionDef)
        and ast.get_docstring(node, clean=False) is not None
        for line in range(node.body[0].lineno, (node.body[0].end_lineno or 0) + 1)
    }
    lines = {
        line
        for token in tokenize.generate_tokens(io.StringIO(source).readline)
        if token.type not in LAYOUT
        for line in range(token.start[0], token.end[0] + 1)
    }
    return len(lines - docstrings)


def public_functions(source: str) -> tuple[int, int]:
    """Count the functions without a leading underscore, and those of them with a docstring."""
    nodes = [
        node
        for node in ast.walk(ast.parse(source))
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef) and not node.name.startswith("_")
    ]
    return len(nodes), sum(ast.get_docstring(node) is not None for node in nodes)


def measure() -> dict[str, object]:
    """Measure the working tree as git tracks it."""
    code, functions, described, lines = Counter[str](), 0, 0, Counter[str]()
    for path in tracked("*.py"):
        package = path.relative_to(ROOT).parts[0]
        source = path.read_text("utf-8")
        lines[package] += source.count("\n")
        if "migrations" in path.parts:
            continue
        code[package] += code_lines(source)
        if package not in ("tests", "laboratory"):
            total, with_docstring = public_functions(source)
            functions, described = functions + total, described + with_docstring
    product = {name: count for name, count in sorted(code.items()) if name not in ("tests", "laboratory")}
    return {
        "code_lines": product,
        "product_code_lines": sum(product.values()),
        "laboratory_lines": lines["laboratory"],
        "tests_lines": lines["tests"],
        "markdown_words": sum(len(path.read_text("utf-8").split()) for path in tracked("*.md")),
        "public_functions": functions,
        "with_docstring": round(described / functions, 3),
    }


if __name__ == "__main__":
    figures = measure()
    if "--json" in sys.argv:
        sys.stdout.write(json.dumps(figures) + "\n")
    else:
        for name, value in figures.items():
            sys.stdout.write(f"{name:20} {value}\n")
