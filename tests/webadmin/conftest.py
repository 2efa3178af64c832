"""The two rights holders that the tests of the desk look at: made once a module, undone by each test."""

from copy import deepcopy

import pytest
from django.test import Client

from tests.support import admin_data, case_texts
from tests.support.desk import english


@pytest.fixture
def world(kept: admin_data.World, db: None, monkeypatch: pytest.MonkeyPatch) -> admin_data.World:
    """With empty stores in memory behind the desk: each page would wait for one that is away."""
    case_texts.use(monkeypatch)
    return deepcopy(kept)


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
