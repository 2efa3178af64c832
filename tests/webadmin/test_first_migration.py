"""The first migration of each application: as the models are, and made by one operation."""

from importlib import import_module

import pytest
from django.apps import apps
from django.core.management import call_command
from django.db.migrations import Migration
from django.db.migrations.operations import AddConstraint, AddField, AddIndex, CreateModel
from django.db.models import AutoField, CharField, Index, UniqueConstraint

from webadmin.first_migration import fold_operations
from webadmin.tables_at_once import CreateModels

MIGRATIONS = [
    import_module(f"{app.name}.migrations.0001_initial").Migration
    for app in apps.get_app_configs()
    if app.name.startswith("webadmin.") and list(app.get_models())
]


@pytest.mark.django_db
def test_it_says_what_the_models_say() -> None:
    call_command("makemigrations", check=True, dry_run=True, verbosity=0)


@pytest.mark.parametrize("migration", MIGRATIONS, ids=lambda migration: migration.__module__)
def test_it_is_one_operation_of_models_alone(migration: type[Migration]) -> None:
    [operation] = migration.operations
    assert isinstance(operation, CreateModels)
    assert {type(each) for each in operation.models} == {CreateModel}


def test_fields_indexes_and_constraints_that_come_later_stand_with_their_models() -> None:
    number = AutoField(primary_key=True)
    by_name = Index(fields=["name"], name="by_name")
    once = UniqueConstraint(fields=["name"], name="once")
    found = fold_operations(
        [
            CreateModel("Site", [("id", number)], {"ordering": ["id"]}),
            AddField("Site", "name", CharField(max_length=9)),
            AddIndex("Site", by_name),
            AddConstraint("Site", once),
        ]
    )
    [site] = found.models
    assert [name for name, _ in site.fields] == ["id", "name"]
    assert site.options == {"ordering": ["id"], "indexes": [by_name], "constraints": [once]}
