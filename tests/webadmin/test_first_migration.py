"""The first migration of each application: as the models are, and made by one operation."""

from importlib import import_module

import pytest
from django.apps import apps
from django.core.management import call_command
from django.db.migrations import Migration
from django.db.migrations.operations import CreateModel

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
