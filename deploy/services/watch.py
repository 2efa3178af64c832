"""The watch: a process of the installation that replaces other processes that do not respond for 30 s.

It kills them, the supervisor restarts them, and a line in logs/watch.log states the reason. The supervisor runs it:
`python -m deploy.services.watch`. If one of several processes of the admin hangs, gunicorn replaces it.
"""

import logging
import os
import time

from core.heartbeat import PROCESS, write_heartbeat
from deploy.home import prepare
from deploy.services.processes import LOOK_EVERY_S, processes
from deploy.services.silence import SilenceWatch
from deploy.services.supervision import Supervisor

log = logging.getLogger("zhuiwen.watch")


def main() -> None:
    """Watch this installation until the supervisor ends this process."""
    logging.basicConfig(format="%(asctime)s %(levelname)s %(message)s", level=logging.INFO)
    home = prepare(os.environ)
    watch = SilenceWatch(Supervisor(home).infos)
    while True:
        looked_at = time.monotonic()
        others = [process for process in processes(home) if process.name != os.environ.get(PROCESS)]
        for silent in watch.look(others):
            told = "%s (process %d) is running but has not answered for %.0f s: killed for a restart"
            log.error(told, silent.name, silent.pid, silent.silent_s)
            silent.kill()
        write_heartbeat(home.path, os.environ)
        time.sleep(max(0.0, looked_at + LOOK_EVERY_S - time.monotonic()))


if __name__ == "__main__":
    main()
