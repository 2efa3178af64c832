"""Celery tasks that add texts of works to the index and remove them."""

from contextlib import suppress

from core.errors import RetryLater
from core.ids import WorkTextId
from pipeline import steps
from pipeline.app import SETTINGS, app
from pipeline.connections import redis_client
from pipeline.pending import pending
from pipeline.sweep import ask_for_search
from webadmin.base_tasks import StepTask, log_bad_input
from webadmin.stores import live


@app.task(name="works.register_work", base=StepTask)
def register_work(text_id: str) -> None:
    """Add the text to the index. If no other text waits, request the search of stored pages for all new texts."""
    ports = live(SETTINGS)
    log_bad_input("register_work", lambda: steps.register_work(WorkTextId(text_id), ports))
    if not pending(redis_client(SETTINGS)).waiting["works"]:
        with suppress(RetryLater):  # The sweeper sends the message again.
            ask_for_search(ports)


@app.task(name="works.withdraw_work", base=StepTask)
def withdraw_work(text_id: str) -> None:
    """Remove the text from the index, because no work has it any longer."""
    log_bad_input("withdraw_work", lambda: steps.withdraw_work(WorkTextId(text_id), live(SETTINGS)))
