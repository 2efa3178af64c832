"""The tasks of works: a text made findable, and withdrawn."""

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
    """Make a work findable; with the last one that waits, all that are new are searched for."""
    ports = live(SETTINGS)
    log_bad_input("register_work", lambda: steps.register_work(WorkTextId(text_id), ports))
    if not pending(redis_client(SETTINGS)).waiting["works"]:
        with suppress(RetryLater):  # the sweeper sends for it again
            ask_for_search(ports)


@app.task(name="works.withdraw_work", base=StepTask)
def withdraw_work(text_id: str) -> None:
    """Take a text that no work has any more out of the index."""
    log_bad_input("withdraw_work", lambda: steps.withdraw_work(WorkTextId(text_id), live(SETTINGS)))
