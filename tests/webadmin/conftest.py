"""The two rights holders that the tests of the desk look at: made once a module, undone by each test."""

from collections.abc import Iterator
from copy import deepcopy
from functools import partial

import pytest
from django.test import Client
from pytest_django import DjangoDbBlocker

from tests.support import admin_data, case_texts
from tests.support.desk import english


@pytest.fixture(scope="module")
def kept_world(
    request: pytest.FixtureRequest, django_db_setup: None, django_db_blocker: DjangoDbBlocker
) -> Iterator[admin_data.World]:
    """With as many cases each as the module's CASES says."""
    cases: int = getattr(request.module, "CASES", 6)
    yield from admin_data.kept_world(django_db_blocker, partial(admin_data.fill_world, cases))


@pytest.fixture
def world(kept_world: admin_data.World, db: None, monkeypatch: pytest.MonkeyPatch) -> admin_data.World:
    """With empty stores in memory behind the desk: each page would wait for one that is away."""
    case_texts.use(monkeypatch)
    return deepcopy(kept_world)


@pytest.fixture
def texts(world: admin_data.World, monkeypatch: pytest.MonkeyPatch) -> case_texts.Texts:
    """The stores behind the desk with the texts of all cases and leads."""
    return case_texts.of_estates(monkeypatch, world.ours, world.theirs)


@pytest.fixture
def reviewer(world: admin_data.World) -> Client:
    return english(world.ours.reviewer)


@pytest.fixture
def manager(world: admin_data.World) -> Client:
    return english(world.ours.manager)
