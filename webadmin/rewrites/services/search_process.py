"""The process that compares pages by meaning: `python -m webadmin.process` with this module and a slot.

It is a separate process, so that the model and the indexes are in memory only once, and only if a kind is watched. It
has a low priority, so that it does not delay the search for copies. If it is killed, the next process continues.
"""

import logging
import os
import time

from matcher.reworded.background import load_background
from matcher.reworded.encoding import UseEncoder
from pipeline.app import SETTINGS
from pipeline.connections import redis_client
from pipeline.redis_lock import redis_lock
from webadmin.database import refresh_connections
from webadmin.rewrites.services.searching.search import RewordedSearching
from webadmin.sites.services.crawlers import work_in_slot
from webadmin.stores import live

log = logging.getLogger("zhuiwen.reworded")

NICENESS = 10
LOCK = "search by meaning"
# A crawl stores pages for minutes. Loading the model takes 1 s, and loading the indexes of a large corpus 10 s.
LINGER_S = 60.0
LOOK_EVERY_S = 5.0


def main(arguments: list[str]) -> int:
    """Compare due pages, and return the exit code.

    The code is 1 if a service is unreachable; the next process continues.
    """
    os.nice(NICENESS)
    return work_in_slot(arguments, _search_alone, log, "the comparison by meaning")


def _search_alone() -> None:
    with redis_lock(redis_client(SETTINGS), LOCK) as is_ours:
        if is_ours:  # Otherwise, another machine is searching.
            _search_until_idle()


def _search_until_idle() -> None:
    began = time.monotonic()
    searching = RewordedSearching(live(SETTINGS), UseEncoder(), load_background(), redis_client(SETTINGS))
    log.info("ready to compare by meaning after %.1f s", time.monotonic() - began)
    idle_since = time.monotonic()
    while time.monotonic() - idle_since < LINGER_S:
        refresh_connections()
        done = searching.run()
        if done.pages:
            idle_since = time.monotonic()
            log.info("%d pages compared by meaning, %d leads", done.pages, done.leads)
        else:
            time.sleep(LOOK_EVERY_S)
