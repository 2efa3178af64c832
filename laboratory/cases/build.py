"""Builds a set of cases: `python -m laboratory.cases.build OUT_FOLDER --size small|full`."""

import argparse
import sys
from collections.abc import Callable, Collection, Iterator
from dataclasses import replace
from pathlib import Path

from core.errors import ZhuiwenError
from laboratory.cases import corpora, folder, made, natural, quoted
from laboratory.cases.bench import Bench, bench_of
from laboratory.cases.case_set import Case, CaseSet, numbered
from laboratory.cases.conditions import SIZES, Size
from laboratory.cases.sources import Sources
from laboratory.edits.collected import CONFUSIONS_FILE
from laboratory.edits.material import Material

SHARED_CORPORA = Path(__file__).resolve().parents[3] / "shared" / "corpora"
DEFAULT_SEED = 2026

CLASSES = ("full", "chapter", "excerpt", "patchwork", "natural", "reuse", "negative", "grey", "hard")

Say = Callable[[str], None]


def built(sources: Sources, size: Size, seed: int, classes: Collection[str], say: Say) -> CaseSet:
    """The cases of these classes. The same sources, size and seed give the same cases, whichever classes are asked.

    Raises BadInput where the sources are too few or too much alike.
    """
    say("indexing the works")
    bench = bench_of(sources, size, seed)
    cases: list[Case] = []
    for name in CLASSES:
        if name in classes:
            say(f"class {name}")
            cases += _class(name, bench, sources, size)
    return CaseSet(bench.works, numbered(cases), sources.material.origin)


def sources_of(texts: Path | None, shared: Path, seed: int) -> Sources:
    """A folder of texts where one is given, else the shared corpora; their material wherever they are present.

    Raises UnreadableFile.
    """
    if not texts:
        return corpora.sources(shared, seed)
    own = folder.sources(texts, seed)
    return replace(own, material=Material.of_corpora(shared)) if (shared / CONFUSIONS_FILE).is_file() else own


def say_on_stderr(line: str) -> None:
    """One line of progress."""
    sys.stderr.write(f"{line}\n")


def _class(name: str, bench: Bench, sources: Sources, size: Size) -> Iterator[Case]:
    if name in ("natural", "reuse"):
        return {"natural": natural.natural, "reuse": natural.reuse}[name](bench, sources.copies, size)
    makers = {
        "full": made.full,
        "chapter": made.chapter,
        "excerpt": made.excerpts,
        "patchwork": made.patchwork,
        "negative": quoted.negatives,
        "grey": quoted.grey,
        "hard": made.hard,
    }
    return makers[name](bench, size)


def main() -> int:
    """The command."""
    parser = argparse.ArgumentParser(prog="python -m laboratory.cases.build", description="Build a set of cases.")
    parser.add_argument("out", type=Path, help="the folder to write works.jsonl, pages.jsonl and truth.jsonl into")
    parser.add_argument("--size", choices=sorted(SIZES), default="small")
    parser.add_argument("--seed", type=int, default=DEFAULT_SEED)
    parser.add_argument("--corpora", type=Path, default=SHARED_CORPORA, help="the folder of the shared corpora")
    parser.add_argument("--texts", type=Path, help="a folder of .txt and .jsonl files instead of the corpora")
    parser.add_argument("--classes", nargs="+", choices=CLASSES, default=list(CLASSES))
    given = parser.parse_args()
    try:
        sources = sources_of(given.texts, given.corpora, given.seed)
        cases = built(sources, SIZES[given.size], given.seed, given.classes, say_on_stderr)
        cases.write(given.out, {"size": given.size, "seed": given.seed})
    except ZhuiwenError as error:
        say_on_stderr(f"error: {error}")
        return 2
    say_on_stderr(f"{cases.summary()} in {given.out}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
