"""The verbs `index stats`, `index rebuild`, `index snapshot`."""

import time
from collections.abc import Mapping
from datetime import timedelta
from typing import TYPE_CHECKING, Annotated, Any

import typer

from core.errors import BadConfiguration, RetryLater
from deploy.cli.faults import FAILED, complain
from deploy.cli.output import as_json, fields, progress, say
from deploy.cli.session import local_iso, local_time, session

if TYPE_CHECKING:
    from core.settings import Settings
    from matcher.ports import MatchIndex
    from pipeline.rounds import Round

WAIT_S = 120.0  # a sweep of 100,000 pages takes seconds


def register(app: typer.Typer) -> None:
    """Add the verbs to `app`."""
    group = typer.Typer(help="The index of the works.", no_args_is_help=True, rich_markup_mode=None)
    group.command("stats")(stats)
    group.command("rebuild")(rebuild)
    group.command("snapshot")(snapshot)
    app.add_typer(group, name="index")


def stats(is_json: Annotated[bool, typer.Option("--json", help="for programs")] = False) -> None:
    """Show the index, whether it is what the corpus is, and what the last rounds did; exit 1 where it is not."""
    with session() as settings:
        from pipeline.rounds import last_rounds
        from pipeline.wiring import live, redis_client
        from webadmin.catalogue import corpus_texts

        ports = live(settings)
        state, corpus = ports.index.state(), corpus_texts()
        indexed = frozenset(ports.index.text_ids()) if state.generation else frozenset()
        rounds = last_rounds(redis_client(settings))
        copy = _snapshot(ports.index, settings)
    figures = {
        "algorithm": ports.algorithm.id,
        "generation": state.generation,
        "corpus_revision": state.corpus_revision,
        "texts": state.texts,
        "postings": state.postings,
        "texts_of_the_corpus": len(corpus),
        "missing": len(corpus - indexed),
        "superfluous": len(indexed - corpus),
    }
    if is_json:
        as_json(figures | {"snapshot": copy, "rounds": _rounds(rounds, settings)})
    else:
        fields((name.replace("_", " "), f"{value:,}") for name, value in figures.items())
        fields([("snapshot", _told_snapshot(copy)), *_told_rounds(rounds, settings).items()])
    if corpus != indexed:
        complain("the index is not what the corpus is; the sweeper mends it, or: zhuiwen index rebuild")
        raise typer.Exit(FAILED)


def rebuild() -> None:
    """Make the index anew from the stored fingerprints; the old one answers until the new one is whole."""
    with session() as settings, progress("indexed") as meter:
        from pipeline.rebuild import rebuild_index
        from pipeline.turns import UPKEEP, turn
        from pipeline.wiring import live, redis_client
        from webadmin.catalogue import corpus_texts

        ports, corpus = live(settings), corpus_texts()
        with turn(redis_client(settings), UPKEEP, wait_s=WAIT_S) as is_ours:
            if not is_ours:
                raise RetryLater("the index is being swept or rebuilt by another process; try again when it has ended")
            missing = rebuild_index(ports, corpus, meter.at)
        state = ports.index.state()
    say(f"the index holds {state.texts:,} texts, generation {state.generation}")
    for text_id in missing:
        complain(f"the text {text_id} is named by a chapter and is not in the store; add its work again")
    if missing:
        raise typer.Exit(FAILED)


def snapshot() -> None:
    """Write the copy of the index that the workers of this machine share; the sweeper does so on its own machine."""
    with session() as settings:
        from pipeline.snapshots import refresh_snapshot
        from pipeline.wiring import live

        if not settings.services.index_snapshot:
            raise BadConfiguration(["ZHUIWEN_INDEX_SNAPSHOT is not set; set it to a folder, best one in /dev/shm"])
        is_written = refresh_snapshot(live(settings), is_urgent=True)
    say("the snapshot is written" if is_written else "nothing to do: the snapshot is new, or being written already")


def _snapshot(index: "MatchIndex", settings: "Settings") -> dict[str, Any]:
    """What there is of the snapshot on this machine."""
    from matcher.snapshot import SnapshotIndex

    if not isinstance(index, SnapshotIndex):
        return {"is_asked_for": False}
    asked = {"is_asked_for": True, "folder": settings.services.index_snapshot}
    file = index.file()
    if file is None:
        return asked | {"is_there": False}
    return asked | {
        "is_there": True,
        "is_current": file.is_current,
        "generation": file.version.generation,
        "corpus_revision": file.version.revision,
        "bytes": file.size_bytes,
        "age_s": max(0, round(time.time() - file.written_s)),
    }


def _told_snapshot(copy: "Mapping[str, Any]") -> str:
    if not copy["is_asked_for"]:
        return "not asked for (ZHUIWEN_INDEX_SNAPSHOT)"
    if not copy["is_there"]:
        return f"none in {copy['folder']}; the sweeper writes it, or: zhuiwen index snapshot"
    state = (
        "answers" if copy["is_current"] else "behind the index; the sweeper writes the next, or: zhuiwen index snapshot"
    )
    of = f"generation {copy['generation']:,}, corpus revision {copy['corpus_revision']:,}"
    return f"{of}, {copy['bytes']:,} bytes, {timedelta(seconds=copy['age_s'])} old, {state}"


def _rounds(rounds: "Mapping[str, Round]", settings: "Settings") -> dict[str, Any]:
    return {
        name: {"ended_at": local_iso(each.ended_at, settings), "counts": each.counts} for name, each in rounds.items()
    }


def _told_rounds(rounds: "Mapping[str, Round]", settings: "Settings") -> dict[str, str]:
    from pipeline.rounds import NAMES

    ended = {name: f"{local_time(each.ended_at, settings)}, {each}" for name, each in rounds.items()}
    return {f"last {name}": ended.get(name, "none yet") for name in NAMES}
