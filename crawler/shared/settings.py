"""Which crawls are shared, and what Scrapy needs for one."""

from typing import Any

from core.pages import CrawlPlan, SpiderKind
from core.politeness import Budget
from crawler.shared.frontier import SharedFrontier
from crawler.shared.heartbeat import Heartbeat

# A novel's catalogue and what a feed carries are put in order by the one process that has all of it.
SHARED_KINDS = frozenset({SpiderKind.GENERIC, SpiderKind.SITEMAP, SpiderKind.LIST})


def can_be_shared(plan: CrawlPlan) -> bool:
    """Whether several processes may crawl this plan together: budgets are counted by one process alone."""
    return plan.kind in SHARED_KINDS and plan.politeness.budget == Budget()


def shared(settings: dict[str, Any], frontier: SharedFrontier) -> dict[str, Any]:
    """Scrapy's settings of a crawl, changed so that it shares its frontier and its pace with other processes.

    From here on the process says that it is alive.
    """
    frontier.heartbeat = Heartbeat(frontier)
    frontier.heartbeat.start()
    middlewares = settings["DOWNLOADER_MIDDLEWARES"] | {"crawler.shared.pace.PaceMiddleware": 950}
    return settings | {
        "SCHEDULER": "crawler.shared.scheduler.SharedScheduler",
        "DOWNLOADER_MIDDLEWARES": middlewares,
    }
