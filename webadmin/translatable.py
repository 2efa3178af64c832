"""The translatable strings of a Python file or a template, read from their syntax."""

import ast
import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from django.utils.translation.template import templatize

# Name of the function without "_lazy" -> positions of context, text and plural among its arguments.
_FUNCTIONS: dict[str, tuple[int | None, int, int | None]] = {
    "gettext": (None, 0, None),
    "gettext_noop": (None, 0, None),
    "ngettext": (None, 0, 1),
    "pgettext": (0, 1, None),
    "npgettext": (0, 1, 2),
}
_TEMPLATE_CALL = re.compile(r"\b(n?p?gettext|_)\(")


@dataclass(frozen=True, slots=True)
class Message:
    """One string, with its plural and its context where it has them."""

    text: str
    plural: str | None = None
    context: str | None = None


def messages_in(path: Path) -> list[Message]:
    """Read the strings of one file, in order."""
    source = path.read_text(encoding="utf-8")
    return list(of_template(source) if path.suffix == ".html" else of_python(source))


def of_python(source: str) -> Iterator[Message]:
    r"""Read the calls of the functions that the module imports from django.utils.translation, under any name.

    >>> list(of_python('from django.utils.translation import gettext as _\n_("a" " b")'))
    [Message(text='a b', plural=None, context=None)]
    """
    tree = ast.parse(source)
    names = {
        alias.asname or alias.name: alias.name.removesuffix("_lazy")
        for node in ast.walk(tree)
        if isinstance(node, ast.ImportFrom) and node.module == "django.utils.translation"
        for alias in node.names
    }
    for node in ast.walk(tree):
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Name):
            message = _message(names.get(node.func.id, ""), node)
            if message is not None:
                yield message


def of_template(source: str) -> Iterator[Message]:
    """Read the tags and the underscore calls of a template, as Django's own makemessages does.

    >>> list(of_template('{% load i18n %}{% translate "Work" %}'))
    [Message(text='Work', plural=None, context=None)]
    """
    code = templatize(source)
    for found in _TEMPLATE_CALL.finditer(code):
        call = _call_at(code, found.start())
        name = "gettext" if found.group(1) == "_" else found.group(1)
        message = _message(name, call) if call is not None else None
        if message is not None:
            yield message


def _message(function: str, call: ast.Call) -> Message | None:
    if function not in _FUNCTIONS:
        return None
    values = [arg.value if isinstance(arg, ast.Constant) else None for arg in call.args]
    context, text, plural = (None if at is None or at >= len(values) else values[at] for at in _FUNCTIONS[function])
    if not isinstance(text, str) or not text:
        return None
    return Message(text, plural if isinstance(plural, str) else None, context if isinstance(context, str) else None)


def _call_at(code: str, start: int) -> ast.Call | None:
    """Parse the shortest call that begins at `start`."""
    end = code.find(")", start)
    while end != -1:
        try:
            parsed = ast.parse(code[start : end + 1].replace("\n", "\\n"), mode="eval").body
        except SyntaxError:
            end = code.find(")", end + 1)
            continue
        return parsed if isinstance(parsed, ast.Call) else None
    return None
