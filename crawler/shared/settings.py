"""What Scrapy needs for a crawl that several processes share."""

from typing import Any

from crawler.shared.frontier import SharedFrontier
from crawler.shared.heartbeat import Heartbeat


def shared(settings: dict[str, Any], frontier: SharedFrontier) -> dict[str, Any]:
    """Scrapy's settings of a crawl, changed so that it shares its frontier and its pace with other processes.

    From here on the process says that it is alive.
    """
    frontier.heartbeat = Heartbeat(frontier.beat, frontier.lease_s)
    frontier.heartbeat.start()
    middlewares = settings["DOWNLOADER_MIDDLEWARES"] | {"crawler.shared.pace.PaceMiddleware": 950}
    return settings | {
        "SCHEDULER": "crawler.shared.scheduler.SharedScheduler",
        "DOWNLOADER_MIDDLEWARES": middlewares,
    }
