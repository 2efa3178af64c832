"""A migration operation that creates all models of an app, so that Django renders them only once.

`makemigrations` writes an operation for each model, index and constraint, and Django renders the models for each.
"""

from typing import Any

from django.db.migrations.operations import CreateModel
from django.db.migrations.operations.base import Operation


class CreateModels(Operation):
    """Creates several models, which may refer to each other in any order."""

    serialization_expand_args = ["models"]

    def __init__(self, models: list[CreateModel]) -> None:
        self.models = models

    def state_forwards(self, app_label: str, state: Any) -> None:
        vars(state).pop("apps", None)  # Otherwise each added model would be rendered with all models that refer to it.
        for each in self.models:
            each.state_forwards(app_label, state)

    def database_forwards(self, app_label: str, schema_editor: Any, from_state: Any, to_state: Any) -> None:
        for each in self.models:
            each.database_forwards(app_label, schema_editor, from_state, to_state)

    def database_backwards(self, app_label: str, schema_editor: Any, from_state: Any, to_state: Any) -> None:
        for each in reversed(self.models):
            each.database_backwards(app_label, schema_editor, from_state, to_state)

    def describe(self) -> str:
        return f"Create {len(self.models)} models"
