"""What must be in order before workers start: the schedule, the index, and the traces of a machine that lost power.

Run as `python -m pipeline.prepare [--alone]`; `--alone` says that no worker of this installation runs anywhere.
"""

import sys

from pipeline.app import SETTINGS
from pipeline.interruptions import requeue_live_runs
from pipeline.pending import forget_taken
from pipeline.rebuild import rebuild_index
from pipeline.schedule import ensure_schedule
from pipeline.turns import SEARCH, UPKEEP, forget_turn, turn
from pipeline.wiring import live, redis_client
from webadmin.catalogue import corpus_texts


def main(arguments: list[str]) -> int:
    """Safe to run again. What it changed is said on standard output."""
    ensure_schedule(SETTINGS)
    ports, client = live(SETTINGS), redis_client(SETTINGS)
    if "--alone" in arguments:
        for name in (UPKEEP, SEARCH):
            forget_turn(client, name)
        dropped = forget_taken(client)
        interrupted = requeue_live_runs(ports.outbox)
        if dropped or interrupted:
            print(f"after an interruption: {dropped} messages and {interrupted} crawl runs are taken up again")  # noqa: T201
    with turn(client, UPKEEP) as is_ours:
        if is_ours and ports.index.state().generation == 0:
            missing = rebuild_index(ports, corpus_texts())
            if missing:
                print(f"the index is made anew; {len(missing)} texts are missing from the store")  # noqa: T201
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
