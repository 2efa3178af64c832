"""Sends each message to the Celery task that processes it."""

from kombu.exceptions import OperationalError

from core import wording
from core.errors import ServiceUnavailable
from core.messages import (
    CrawlRequested,
    LookUpRequested,
    MailRequested,
    MatchesFound,
    OpinionsRequested,
    PagesStored,
    RightsChanged,
    SearchRequested,
    StepMessage,
    WorkAdded,
    WorkRemoved,
    as_dict,
)
from pipeline.app import app

TASKS: dict[type, str] = {
    PagesStored: "cases.compare_pages",
    MatchesFound: "evidence.bundle_evidence",
    WorkAdded: "works.register_work",
    WorkRemoved: "works.withdraw_work",
    SearchRequested: "cases.search_pages",
    CrawlRequested: "sites.crawl_site",
    RightsChanged: "cases.rule_again",
    OpinionsRequested: "cases.ask_engines",
    LookUpRequested: "sites.look_up_contacts",
    MailRequested: "notices.send_mail",
}


class CeleryOutbox:
    """An outbox (`core.ports.Outbox`) that sends messages to the broker."""

    def send(self, message: StepMessage) -> None:
        """Send a message to its task. Raises ServiceUnavailable if the broker does not respond."""
        try:
            app.send_task(TASKS[type(message)], kwargs=as_dict(message), retry=False)
        except OperationalError as error:
            raise ServiceUnavailable(
                wording.Message("service.broker"), "ZHUIWEN_REDIS_URL", "zhuiwen status"
            ) from error
