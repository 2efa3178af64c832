"""The outbox over Celery: which message goes to which task on which queue."""

from kombu.exceptions import OperationalError

from core.errors import ServiceUnavailable
from core.messages import (
    CrawlRequested,
    MatchFound,
    Message,
    PageFingerprinted,
    PageStored,
    SearchRequested,
    WorkAdded,
    WorkRemoved,
    as_dict,
)
from pipeline.app import app

TASKS: dict[type, str] = {
    PageStored: "pipeline.fingerprint_page",
    PageFingerprinted: "pipeline.match_page",
    MatchFound: "pipeline.bundle_evidence",
    WorkAdded: "pipeline.register_work",
    WorkRemoved: "pipeline.withdraw_work",
    SearchRequested: "pipeline.search_pages",
    CrawlRequested: "pipeline.crawl_site",
}


class CeleryOutbox:
    """`core.ports.Outbox` that leaves messages with the broker."""

    def send(self, message: Message) -> None:
        try:
            app.send_task(TASKS[type(message)], kwargs=as_dict(message), retry=False)
        except OperationalError as error:
            raise ServiceUnavailable("the message broker (Redis)", "ZHUIWEN_REDIS_URL", "zhuiwen status") from error
