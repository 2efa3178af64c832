"""Builds a set of cases out of the shared corpora or of a folder of texts."""

from collections.abc import Collection, Iterator
from dataclasses import replace
from pathlib import Path

from laboratory.cases import corpora, folder, made, natural, quoted
from laboratory.cases.bench import Bench, bench_of
from laboratory.cases.case_set import CaseSet, numbered
from laboratory.cases.conditions import Size
from laboratory.cases.sources import Sources
from laboratory.edits.collected import CONFUSIONS_FILE
from laboratory.edits.material import Material
from laboratory.report import Say
from laboratory.scores.detection_quality import Case

SHARED_CORPORA = Path(__file__).resolve().parents[3] / "shared" / "corpora"
DEFAULT_SEED = 2026

CLASSES = ("full", "chapter", "excerpt", "patchwork", "natural", "reuse", "negative", "grey", "hard")


def built(sources: Sources, size: Size, seed: int, classes: Collection[str], say: Say) -> CaseSet:
    """Return the cases of these classes.

    The same sources, size and seed give the same cases, whichever classes are requested.

    Raises BadInput if the sources are too few or too similar.
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
    """Return a folder of texts if one is given, else the shared corpora, with the material of the corpora if present.

    Raises UnreadableFile.
    """
    if not texts:
        return corpora.sources(shared, seed)
    own = folder.sources(texts, seed)
    return replace(own, material=Material.of_corpora(shared)) if (shared / CONFUSIONS_FILE).is_file() else own


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
