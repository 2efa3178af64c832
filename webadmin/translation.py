"""Maintains the catalogues with Babel: python -m webadmin.translation update|check. It needs no gettext binaries.

Django's catalogue contains the strings of the admin by their English text. `core/locale` contains the messages of
core.wording by code, in both languages.

update   add new strings to Django's catalogue, remove unused strings, and compile all catalogues
check    print one line for each untranslated, fuzzy or unused string, and for a stale .mo; exit code 1
"""

import ast
import io
import re
import sys
from collections.abc import Iterable, Iterator, Mapping
from copy import copy
from functools import cache
from pathlib import Path
from string import Formatter
from typing import IO, Any

import axes
import django
import django_celery_beat
import unfold
from babel.messages import Catalog, Message
from babel.messages.extract import DEFAULT_KEYWORDS, extract_from_dir, extract_python
from babel.messages.mofile import write_mo
from babel.messages.pofile import read_po, write_po
from django.utils.translation.template import templatize

from core.wording import CATALOGUES, DOMAIN

ROOT = Path(__file__).resolve().parents[1]
CATALOGUE = ROOT / "webadmin" / "locale" / "zh_Hans" / "LC_MESSAGES" / "django.po"
UNFOLD = Path(unfold.__file__).parent  # has no Chinese translation
KEYWORDS: Mapping[str, Any] = DEFAULT_KEYWORDS | {
    "_now": None,
    "gettext_lazy": None,
    "gettext_noop": None,
    "ngettext_lazy": (1, 2),
    "pgettext_lazy": ((1, "c"), 2),
}
# Libraries whose strings the catalogue may translate anew, because Django searches it before their catalogues.
LIBRARIES = (
    Path(django.__file__).parent / "contrib" / "admin",
    Path(django.__file__).parent / "contrib" / "auth",
    Path(axes.__file__).parent,
    Path(django_celery_beat.__file__).parent,
)
_IGNORED = [(pattern, "ignore") for pattern in ("**/migrations/**", "contrib/**", "templates/unfold_crispy/**")]
METHODS = [
    *_IGNORED,
    ("**.py", f"{__spec__.name}:extract_python_strings"),
    ("**/templates/**.html", f"{__spec__.name}:extract_template_strings"),
]
_BRACES = re.compile(r"\{\w*\}")


def extract_python_strings(file: IO[bytes], keywords: Any, tags: Any, options: Any) -> Iterable[Any]:
    """Extract the translatable strings of a Python module, as a Babel extraction method.

    Babel gets only the calls of the module, because it finds calls in f-strings only from Python 3.12 on.
    """
    nodes = (node for node in ast.walk(ast.parse(file.read())) if isinstance(node, ast.Call))
    calls = (ast.unparse(node) for node in nodes if isinstance(node.func, ast.Name) and node.func.id in keywords)
    return extract_python(io.BytesIO("\n".join(calls).encode()), keywords, tags, options)


def extract_template_strings(file: IO[bytes], keywords: Any, tags: Any, options: Any) -> Iterable[Any]:
    """Extract the translatable strings of a template, which `templatize` converts to calls, as makemessages does."""
    lines = (line.lstrip() for line in templatize(file.read().decode()).splitlines(keepends=True))
    return extract_python(io.BytesIO("".join(lines).encode()), keywords, tags, options)


@cache
def collect() -> Catalog:
    """Return a catalogue of the translatable strings in the product, Unfold and Unfold's filters, with their files."""
    ours = [package.parent for package in ROOT.glob("*/__init__.py") if package.parent.name != "tests"]
    found = Catalog()
    for folder in (*sorted(ours), UNFOLD, UNFOLD / "contrib" / "filters"):
        for name, _, text, _, context in extract_from_dir(folder, METHODS, keywords=KEYWORDS):
            found.add(text, locations=[(f"{folder.name}/{name}", 0)], context=context)
    return found


@cache
def library_strings() -> frozenset[str]:
    """Return the translatable strings of the libraries in LIBRARIES."""
    found = (each for folder in LIBRARIES for each in extract_from_dir(folder, METHODS, keywords=KEYWORDS))
    return frozenset(_message_texts(text)[0] for _, _, text, _, _ in found)


def read(catalogue: Path = CATALOGUE) -> Catalog:
    """Return the catalogue in a .po file."""
    with catalogue.open("rb") as file:
        return read_po(file)


def update(path: Path = CATALOGUE) -> None:
    """Rewrite and compile the catalogue with the strings in the code, sorted; existing translations are preserved."""
    catalogue = read(path)
    wanted = copy(collect())
    for message in catalogue:
        if message.id in library_strings():
            wanted.add(message.id)
    catalogue.update(wanted, no_fuzzy_matching=True, update_creation_date=False)
    _write(path, catalogue)


def sort_messages(folder: Path = CATALOGUES) -> None:
    """Rewrite and compile the catalogues of messages below `folder`, sorted by code."""
    for path in _message_files(folder):
        _write(path, read(path))


def messages(folder: Path = CATALOGUES) -> dict[str, dict[str, str]]:
    """Return the texts of all messages below `folder`, by code and then by language ("en" or "zh_Hans")."""
    found: dict[str, dict[str, str]] = {}
    for path in _message_files(folder):
        for message in read(path):
            if message.id:
                found.setdefault(str(message.id), {})[path.parents[1].name] = str(message.string)
    return dict(sorted(found.items()))


def _message_files(folder: Path) -> list[Path]:
    return sorted(folder.glob(f"*/LC_MESSAGES/{DOMAIN}.po"))


def _write(path: Path, catalogue: Catalog) -> None:
    with path.open("wb") as file:
        write_po(file, catalogue, width=120, sort_output=True, ignore_obsolete=True, no_location=True)
    path.with_suffix(".mo").write_bytes(compile_catalogue(path))


def compile_catalogue(path: Path) -> bytes:
    """Return the content of the .mo file for the catalogue in a .po file."""
    file = io.BytesIO()
    write_mo(file, read(path))
    return file.getvalue()


def faults(path: Path = CATALOGUE) -> Iterator[str]:
    """Yield a sentence for each error in Django's catalogue at `path`."""
    catalogue = read(path)
    known, wanted = _by_key(catalogue), _by_key(collect())
    for key in wanted.keys() - known.keys():
        yield f"{key[1]!r} ({', '.join(name for name, _ in wanted[key].locations)}) is not in the catalogue: run update"
    for key, message in known.items():
        if key not in wanted and key[1] not in library_strings():
            yield f"{key[1]!r} is in the catalogue and nowhere in the code: run update"
        elif message.fuzzy:
            yield f"{key[1]!r} is fuzzy"
        elif not all(_message_texts(message.string)):
            yield f"{key[1]!r} is not translated"
        elif message.check(catalogue) or not _brace_fields(message.string) <= _brace_fields(message.id):
            yield f"{key[1]!r} and its translation have different placeholders"
    yield from _stale_files(path)


def message_faults(folder: Path = CATALOGUES) -> Iterator[str]:
    """Yield a sentence for each error in the catalogues of messages below `folder`."""
    files = _message_files(folder)
    for code, words in messages(folder).items():
        if len(words) < len(files) or not all(text == text.strip() != "" for text in words.values()):
            yield f"{code} has no words in every language"
        elif len({frozenset(placeholders(text)) for text in words.values()}) > 1:
            yield f"{code} has other placeholders in another language"
    for path in files:
        yield from _stale_files(path)


def placeholders(text: str) -> set[str]:
    """Return the names of the placeholders in the text of a message."""
    return {name for _, name, _, _ in Formatter().parse(text) if name is not None}


def _stale_files(path: Path) -> Iterator[str]:
    binary = path.with_suffix(".mo")
    if not binary.exists() or binary.read_bytes() != compile_catalogue(path):
        yield f"{binary.name} is older than {path.name}: run update"


def main(arguments: list[str]) -> int:
    """Run the command in `arguments`. Returns the exit code: 1 if `check` finds errors, 2 for an unknown command."""
    match arguments:
        case ["update"]:
            update()
            sort_messages()
        case ["check"]:
            found = sorted([*faults(), *message_faults()])
            sys.stdout.writelines(f"{fault}\n" for fault in found)
            return 1 if found else 0
        case _:
            sys.stderr.write(f"{__doc__}\n")
            return 2
    return 0


def _by_key(catalogue: Catalog) -> dict[tuple[str | None, str], Message]:
    """Return the messages of a catalogue by context and string, without its header."""
    return {(message.context, _message_texts(message.id)[0]): message for message in catalogue if message.id}


def _message_texts(text: str | Iterable[str] | None) -> list[str]:
    return [text] if isinstance(text, str) else list(text or ())


def _brace_fields(text: str | Iterable[str] | None) -> set[str]:
    return set(_BRACES.findall(" ".join(_message_texts(text))))


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
