"""Writes the first migration anew: python -m records.first_migration, with the settings of the tests.

Django writes an operation for each index and constraint, and renders all models again before each: with 160 of them
that was nine of the fourteen seconds in which a database is made (2026-11-27), for every new installation and every
process that tests. Here they stand with their models, which are made in the order in which they name each other. As
long as no release has a database to keep, there is this migration alone.
"""

from collections.abc import Iterable
from dataclasses import dataclass, field
from importlib import import_module
from pathlib import Path
from typing import Any

from django.core.management import call_command
from django.db.migrations import Migration
from django.db.migrations.operations import AddConstraint, AddField, AddIndex, CreateModel
from django.db.migrations.operations.base import Operation
from django.db.migrations.writer import MigrationWriter

APP, NAME = "records", "0001_initial"
FILE = Path(__file__).parent / "migrations" / f"{NAME}.py"


@dataclass
class _Model:
    """A model as it will be made. extras: indexes and constraints; late: fields that name a model made after it."""

    made: CreateModel
    fields: dict[str, Any]
    extras: list[AddIndex | AddConstraint] = field(default_factory=list)
    late: dict[str, Any] = field(default_factory=dict)

    def unmet(self, known: Iterable[str]) -> dict[str, Any]:
        """The fields that name models that are not known yet."""
        names = {self.made.name_lower, *known}
        return {name: each for name, each in self.fields.items() if (target := _target(each)) and target not in names}

    def is_late(self, extra: AddIndex | AddConstraint) -> bool:
        return any(name in repr(extra.deconstruct()) for name in self.late)

    def create(self) -> CreateModel:
        extras = [extra for extra in self.extras if not self.is_late(extra)]
        indexes = [extra.index for extra in extras if isinstance(extra, AddIndex)]
        constraints = [extra.constraint for extra in extras if isinstance(extra, AddConstraint)]
        given = {"indexes": indexes, "constraints": constraints}
        options = self.made.options | {name: each for name, each in given.items() if each}
        fields = [(name, each) for name, each in self.fields.items() if name not in self.late]
        return CreateModel(self.made.name, fields, options, self.made.bases, self.made.managers)

    def afterwards(self) -> list[Operation]:
        """What is added once all of its late fields can be."""
        added: list[Operation] = [AddField(self.made.name_lower, name, each) for name, each in self.late.items()]
        return [*added, *(extra for extra in self.extras if self.is_late(extra))]


def folded(operations: Iterable[Operation]) -> list[Operation]:
    """The same tables by fewer operations."""
    models: dict[str, _Model] = {}
    for each in operations:
        if isinstance(each, CreateModel):
            models[each.name_lower] = _Model(each, dict(each.fields))
        elif isinstance(each, AddField):
            models[each.model_name_lower].fields[each.name] = each.field
        elif isinstance(each, AddIndex | AddConstraint):
            models[each.model_name_lower].extras.append(each)
        else:
            raise TypeError(f"a first migration makes models and nothing else: {each}")
    return list(_in_order(models))


def _in_order(models: dict[str, _Model]) -> Iterable[Operation]:
    known: set[str] = set()
    waiting, incomplete = dict(models), list[_Model]()
    while waiting:
        name = min(waiting, key=lambda each: len(waiting[each].unmet(known)))  # of equals the first
        model = waiting.pop(name)
        model.late = model.unmet(known)
        yield model.create()
        known.add(name)
        incomplete += [model] if model.late else []
        for done in [each for each in incomplete if not each.unmet(known)]:
            incomplete.remove(done)
            yield from done.afterwards()


def _target(given: Any) -> str:
    """The model of this app that a field names; "" for none."""
    label = given.remote_field.model if given.remote_field else ""
    app, _, name = str(label).lower().rpartition(".")
    return name if app == APP else ""


def main() -> None:
    FILE.unlink(missing_ok=True)
    call_command("makemigrations", APP, verbosity=0)
    written: type[Migration] = import_module(f"{APP}.migrations.{NAME}").Migration
    given = {"initial": True, "dependencies": written.dependencies, "operations": folded(written.operations)}
    migration: Migration = type("Migration", (Migration,), given)(NAME, APP)
    FILE.write_text(MigrationWriter(migration).as_string(), "utf-8")


if __name__ == "__main__":
    import django

    django.setup()
    main()
