"""The page of every record, as a manager and a reviewer open it: no script complains."""

from collections.abc import Iterator

import pytest
from django.contrib import admin
from django.db.models import Model
from django.urls import reverse

from tests.support import browser
from tests.support.admin_data import World
from webadmin.accounts.models import User
from webadmin.accounts.services.access import HOLDER_PATHS, visible

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.usefixtures("texts")]


def list_records(person: User) -> Iterator[Model]:
    """One of each model that has a list in the desk."""
    for model in admin.site._registry:
        if model in HOLDER_PATHS and (record := visible(model._default_manager.all(), person).first()) is not None:
            yield record


@pytest.mark.parametrize("role", ["manager", "reviewer"])
def test_no_record_has_a_page_on_which_a_script_complains(opened: browser.Opened, world: World, role: str) -> None:
    person = getattr(world.ours, role)
    visitor = opened(person)
    shown, faults = set(), {}
    for record in list_records(person):
        visitor.complaints.clear()
        status = visitor.go(
            reverse(f"admin:{record._meta.app_label}_{record._meta.model_name}_change", args=[record.pk])
        )
        if status == 403:  # a list of managers
            continue
        shown.add(type(record).__name__)
        if status != 200 or visitor.complaints:
            faults[type(record).__name__] = (status, [*visitor.complaints])
    assert faults == {}
    assert {"Site", "Addressee", "HolderIdentity", "HolderPaper", "PaperTemplate", "Notice", "Case"} <= shown
