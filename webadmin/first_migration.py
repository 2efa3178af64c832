"""Rewrites the first migrations: python -m webadmin.first_migration, with the settings of the tests.

Django writes an operation for each model, index and constraint, and renders all models again for each operation. With
220 operations, this took 12 of the 14 s for creating a database (2026-11-27), for every new installation and test
process. Here, indexes and constraints are in the options of their models, and all models in one operation. As long as
no release has a database to keep, each application has one migration.
"""

from collections.abc import Iterable
from importlib import import_module
from pathlib import Path

from django.apps import apps
from django.core.management import call_command
from django.db.migrations import Migration
from django.db.migrations.operations import AddConstraint, AddField, AddIndex, CreateModel
from django.db.migrations.operations.base import Operation
from django.db.migrations.writer import MigrationWriter

from webadmin.tables_at_once import CreateModels

NAME = "0001_initial"


def fold_operations(operations: Iterable[Operation]) -> CreateModels:
    """Return one operation that creates the same tables."""
    made: dict[str, CreateModel] = {}
    for each in operations:
        if isinstance(each, CreateModel):
            made[each.name_lower] = CreateModel(each.name, each.fields, dict(each.options), each.bases, each.managers)
        elif isinstance(each, AddField):
            made[each.model_name_lower].fields.append((each.name, each.field))
        elif isinstance(each, AddIndex | AddConstraint):
            name, extra = ("indexes", each.index) if isinstance(each, AddIndex) else ("constraints", each.constraint)
            made[each.model_name_lower].options.setdefault(name, []).append(extra)
        else:
            raise TypeError(f"a first migration makes models and nothing else: {each}")
    return CreateModels(list(made.values()))


def main() -> None:
    """Write the first migration of each application of the product."""
    own = [app for app in apps.get_app_configs() if app.name.startswith("webadmin.") and app.models_module]
    files = {app.label: Path(app.path) / "migrations" / f"{NAME}.py" for app in own if list(app.get_models())}
    for file in files.values():
        file.unlink(missing_ok=True)
    call_command("makemigrations", *files, verbosity=0)
    for label, file in files.items():
        written: type[Migration] = import_module(f"{apps.get_app_config(label).name}.migrations.{NAME}").Migration
        given = {
            "initial": True,
            "dependencies": written.dependencies,
            "operations": [fold_operations(written.operations)],
        }
        migration: Migration = type("Migration", (Migration,), given)(NAME, label)
        file.write_text(MigrationWriter(migration, include_header=False).as_string(), "utf-8")


if __name__ == "__main__":
    import django

    django.setup()
    main()
