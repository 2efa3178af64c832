"""What must be in order before workers start: the schedule, the index, and the traces of a machine that lost power.

Run as `python -m webadmin.process webadmin.preparation [--alone]`; `--alone` says that no worker of this installation
runs anywhere.
"""

import json

from core.clock import SystemClock
from core.wording import Message
from pipeline.app import SETTINGS
from pipeline.connections import redis_client
from pipeline.pending import forget_taken
from pipeline.rebuild import rebuild_index
from pipeline.redis_lock import MAINTENANCE, SEARCH, forget_lock, redis_lock
from webadmin.schedule import ensure_schedule
from webadmin.sites.services.imports import requeue_running
from webadmin.sites.services.interruptions import requeue_live_runs
from webadmin.sites.services.runs import set_clock_back
from webadmin.stores import live
from webadmin.works.services.catalogue import corpus_texts


def main(arguments: list[str]) -> int:
    """Safe to run again. What it changed is said on standard output, as messages in JSON."""
    ensure_schedule(SETTINGS)
    if count := set_clock_back(SystemClock().now()):
        _say(Message("start.set-back", count=count))
    ports, client = live(SETTINGS), redis_client(SETTINGS)
    if "--alone" in arguments:
        for name in (MAINTENANCE, SEARCH):
            forget_lock(client, name)
        dropped = forget_taken(client)
        interrupted = requeue_live_runs(ports.outbox)
        requeue_running()
        if dropped or interrupted:
            _say(Message("start.taken-up", messages=dropped, runs=interrupted))
    with redis_lock(client, MAINTENANCE) as is_ours:
        if is_ours and ports.index.state().generation == 0:
            missing = rebuild_index(ports, corpus_texts())
            if missing:
                _say(Message("start.index-made", count=len(missing)))
    return 0


def _say(message: Message) -> None:
    """To whoever started this, who knows the language."""
    print(json.dumps(message.to_json()))  # noqa: T201
