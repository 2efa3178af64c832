"""The first migration: as the models are, and made by as few operations as there can be."""

from importlib import import_module

import pytest
from django.core.management import call_command
from django.db.migrations.operations import AddConstraint, AddField, AddIndex

from records.first_migration import folded

OPERATIONS = import_module("records.migrations.0001_initial").Migration.operations


@pytest.mark.django_db
def test_it_says_what_the_models_say() -> None:
    call_command("makemigrations", "records", check=True, dry_run=True, verbosity=0)


def test_indexes_and_constraints_stand_with_their_models() -> None:
    assert not [each for each in OPERATIONS if isinstance(each, AddIndex | AddConstraint)]
    late = [each for each in OPERATIONS if isinstance(each, AddField)]
    assert [(each.model_name, each.name) for each in late] == LATE


def test_folding_it_once_more_changes_nothing() -> None:
    assert [each.deconstruct() for each in folded(OPERATIONS)] == [each.deconstruct() for each in OPERATIONS]


# Models that name each other: one field of each circle comes afterwards.
LATE = [("case", "decision")]
