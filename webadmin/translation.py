"""The interface's catalogue: python -m webadmin.translation update|compile|check. No gettext binaries needed.

update   bring the .po in line with the strings of the code; new ones stand untranslated, gone ones are dropped
compile  write the .mo from the .po
check    one line for each string that is untranslated, fuzzy or out of place, and for a stale .mo; exit code 1
"""

import re
import sys
from collections.abc import Iterator
from pathlib import Path

import django
import polib
import unfold

from webadmin.translatable import Message, messages_in

PACKAGE = Path(__file__).resolve().parent
CATALOGUE = PACKAGE / "locale" / "zh_Hans" / "LC_MESSAGES" / "django.po"
WRITERS = PACKAGE.parent / "pipeline"  # says why a run ended; known by its folder, as the layer is above this one
METADATA = {
    "Project-Id-Version": "Zhuiwen",
    "Language": "zh_Hans",
    "MIME-Version": "1.0",
    "Content-Type": "text/plain; charset=utf-8",
    "Content-Transfer-Encoding": "8bit",
    "Plural-Forms": "nplurals=1; plural=0;",
}
_PLACEHOLDER = re.compile(r"%\(\w+\)[sd]|%[sdnm]|\{\w*\}")


def wanted() -> dict[Message, set[str]]:
    """Collect every string that may be shown, with its files: ours, and Unfold's, which knows no Chinese."""
    found: dict[Message, set[str]] = {}
    for path, label in _sources():
        for message in messages_in(path):
            found.setdefault(message, set()).add(label)
    return {message: files for message, files in found.items() if files != {"unfold"} or not _is_known(message)}


def update(catalogue: Path = CATALOGUE) -> None:
    """Write the catalogue anew: what stands there keeps its translation, sorted by string."""
    before = {_key(entry): entry for entry in polib.pofile(str(catalogue))} if catalogue.exists() else {}
    after = polib.POFile(wrapwidth=120)
    after.metadata = dict(METADATA)
    for message, files in sorted(wanted().items(), key=lambda item: (item[0].text, item[0].context or "")):
        known = before.get((message.context, message.text))
        entry = polib.POEntry(
            msgid=message.text,
            msgctxt=message.context,
            occurrences=[(name, "") for name in sorted(files)],
            flags=[flag for flag in (known.flags if known else []) if flag == "fuzzy"],
        )
        if message.plural:
            entry.msgid_plural = message.plural
            entry.msgstr_plural = {0: _translated(known)}
        else:
            entry.msgstr = _translated(known)
        after.append(entry)
    catalogue.parent.mkdir(parents=True, exist_ok=True)
    after.save(str(catalogue))


def compile_catalogue(catalogue: Path = CATALOGUE) -> None:
    """Write the .mo beside the .po."""
    catalogue.with_suffix(".mo").write_bytes(_compiled(catalogue))


def faults(catalogue: Path = CATALOGUE) -> Iterator[str]:
    """Name everything that keeps the catalogue from being complete, one sentence each."""
    entries = {_key(entry): entry for entry in polib.pofile(str(catalogue))}
    expected = {(message.context, message.text): files for message, files in wanted().items()}
    for key, files in sorted(expected.items(), key=str):
        if key not in entries:
            yield f"{key[1]!r} ({', '.join(sorted(files))}) is not in the catalogue: run update"
    for key, entry in entries.items():
        if key not in expected:
            yield f"{entry.msgid!r} is in the catalogue and nowhere in the code: run update"
        elif "fuzzy" in entry.flags:
            yield f"{entry.msgid!r} is fuzzy"
        elif not _translated(entry):
            yield f"{entry.msgid!r} is not translated"
        elif not _placeholders(_translated(entry)) <= _placeholders(entry.msgid + entry.msgid_plural):
            yield f"{entry.msgid!r} and its translation have different placeholders"
    compiled = catalogue.with_suffix(".mo")
    if not compiled.exists() or compiled.read_bytes() != _compiled(catalogue):
        yield f"{compiled.name} is older than {catalogue.name}: run compile"


def main(arguments: list[str]) -> int:
    """Run one command; returns the exit code."""
    match arguments:
        case ["update"]:
            update()
        case ["compile"]:
            compile_catalogue()
        case ["check"]:
            found = list(faults())
            sys.stdout.writelines(f"{fault}\n" for fault in found)
            return 1 if found else 0
        case _:
            sys.stderr.write(f"{__doc__}\n")
            return 2
    return 0


def _sources() -> Iterator[tuple[Path, str]]:
    """Walk our files (but migrations and this tool), those that write sentences into our rows, then Unfold's."""
    for path in sorted([*PACKAGE.rglob("*.py"), *PACKAGE.rglob("*.html"), *WRITERS.rglob("*.py")]):
        if "migrations" not in path.parts:
            yield path, path.relative_to(PACKAGE.parent).as_posix()
    home = Path(unfold.__file__).parent
    for path in sorted([*home.rglob("*.py"), *home.rglob("*.html")]):
        if not {"contrib", "unfold_crispy"} & set(path.parts) or "filters" in path.parts:
            yield path, "unfold"


def _is_known(message: Message) -> bool:
    """Whether Django itself translates the string."""
    home = Path(django.__file__).parent
    apps = (home / "conf", home / "contrib" / "admin", home / "contrib" / "auth")
    return any(
        (message.context, message.text) in _known_in(app / "locale" / "zh_Hans" / "LC_MESSAGES" / "django.mo")
        for app in apps
    )


def _known_in(compiled: Path) -> set[tuple[str | None, str]]:
    return {_key(entry) for entry in polib.mofile(str(compiled)) if _translated(entry)}


def _key(entry: polib.POEntry) -> tuple[str | None, str]:
    return entry.msgctxt or None, entry.msgid


def _translated(entry: polib.POEntry | None) -> str:
    if entry is None:
        return ""
    return str(entry.msgstr_plural.get(0, "") if entry.msgid_plural else entry.msgstr)


def _placeholders(text: str) -> set[str]:
    return set(_PLACEHOLDER.findall(text))


def _compiled(catalogue: Path) -> bytes:
    return bytes(polib.pofile(str(catalogue)).to_binary())


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
