"""The `index` commands, which show and rebuild the index of the works and write its snapshot."""

import time
from collections.abc import Mapping
from datetime import timedelta
from typing import TYPE_CHECKING, Annotated, Any

import typer

from core.errors import BadConfiguration, RetryLater
from core.wording import Message
from webadmin.ui.console.faults import FAILED, complain
from webadmin.ui.console.groups import verb_group
from webadmin.ui.console.output import as_json, print_fields, print_line, progress, translate_heading
from webadmin.ui.console.session import local_iso, local_time, session

if TYPE_CHECKING:
    from core.settings import Settings
    from matcher.index.ports import MatchIndex
    from pipeline.job_stats import JobStats

WAIT_S = 120.0  # a sweep of 100,000 pages takes seconds


def stats(is_json: Annotated[bool, typer.Option("--json")] = False) -> None:
    """Show the index and the last maintenance jobs; exit 1 if the index differs from the corpus."""
    with session() as settings:
        from pipeline.connections import redis_client
        from pipeline.job_stats import last_job_stats
        from webadmin.wiring import live_ports
        from webadmin.works.services.catalogue import corpus_texts

        ports = live_ports(settings)
        state, corpus = ports.index.state(), corpus_texts()
        indexed = frozenset(ports.index.text_ids()) if state.generation else frozenset()
        rounds = last_job_stats(redis_client(settings))
        copy = _snapshot_state(ports.index, settings)
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
        as_json(figures | {"snapshot": copy, "rounds": _job_records(rounds, settings)})
    else:
        print_fields((_figure_code(name), f"{value:,}") for name, value in figures.items())
        print_fields([("column.snapshot", _describe_snapshot(copy)), *_describe_jobs(rounds, settings)])
    if corpus != indexed:
        complain(Message("corpus.index-behind"))
        raise typer.Exit(FAILED)


def rebuild() -> None:
    """Rebuild the index from the stored fingerprints; the old index is used until the new one is complete."""
    with session() as settings, progress(Message("corpus.indexed")) as meter:
        from pipeline.connections import redis_client
        from pipeline.rebuild import rebuild_index
        from pipeline.redis_lock import MAINTENANCE, redis_lock
        from webadmin.wiring import live_ports
        from webadmin.works.services.catalogue import corpus_texts

        ports, corpus = live_ports(settings), corpus_texts()
        with redis_lock(redis_client(settings), MAINTENANCE, wait_s=WAIT_S) as is_ours:
            if not is_ours:
                raise RetryLater("corpus.index-busy")
            missing = rebuild_index(ports, corpus, meter.update)
        state = ports.index.state()
    print_line(Message("corpus.index-holds", texts=state.texts, generation=state.generation))
    for text_id in missing:
        complain(Message("corpus.text-gone", text=text_id))
    if missing:
        raise typer.Exit(FAILED)


def snapshot() -> None:
    """Write the snapshot of the index for the workers on this machine. The sweeper writes that of its own machine."""
    with session() as settings:
        from pipeline.rebuild import refresh_snapshot
        from webadmin.wiring import live_ports

        if not settings.services.index_snapshot:
            raise BadConfiguration("corpus.no-snapshot-folder")
        is_written = refresh_snapshot(live_ports(settings), is_urgent=True)
    print_line(Message("corpus.snapshot-written" if is_written else "corpus.snapshot-current"))


def _snapshot_state(index: "MatchIndex", settings: "Settings") -> dict[str, Any]:
    """Return the state of the snapshot on this machine as JSON values."""
    from matcher.index.snapshot.snapshot_index import SnapshotIndex

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


def _describe_snapshot(copy: "Mapping[str, Any]") -> Message:
    if not copy["is_asked_for"]:
        return Message("corpus.snapshot-unasked")
    if not copy["is_there"]:
        return Message("corpus.snapshot-none", folder=copy["folder"])
    return Message(
        "corpus.snapshot",
        generation=copy["generation"],
        revision=copy["corpus_revision"],
        bytes=copy["bytes"],
        age=str(timedelta(seconds=copy["age_s"])),
        state=Message("corpus.snapshot-answers" if copy["is_current"] else "corpus.snapshot-behind"),
    )


def _figure_code(name: str) -> str:
    """Return the code of the message that names a figure."""
    return f"column.{name.replace('_', '-')}"


def _job_records(rounds: "Mapping[str, JobStats]", settings: "Settings") -> dict[str, Any]:
    return {
        name: {"ended_at": local_iso(each.ended_at, settings), "counts": each.counts} for name, each in rounds.items()
    }


def _describe_jobs(rounds: "Mapping[str, JobStats]", settings: "Settings") -> list[tuple[str, Message]]:
    from pipeline.job_stats import DAILY, SEARCH, SWEEP

    heads = {SWEEP: "column.last-sweep", SEARCH: "column.last-search", DAILY: "column.last-daily"}
    return [
        (shown, _describe_job(rounds[name], settings) if name in rounds else Message("corpus.job-none"))
        for name, shown in heads.items()
    ]


def _describe_job(ended: "JobStats", settings: "Settings") -> Message:
    counts = [
        Message("corpus.job-count", name=translate_heading(_figure_code(name)), count=count)
        for name, count in ended.counts.items()
        if count
    ]
    told = counts or Message("corpus.job-nothing")
    return Message("corpus.job", when=local_time(ended.ended_at, settings), counts=told)


GROUP = verb_group(
    "The index of the works.",
    {
        "stats": stats,
        "rebuild": rebuild,
        "snapshot": snapshot,
    },
)
