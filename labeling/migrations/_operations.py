"""Operations that cost less than Django's own of the same effect.

After each operation Django makes the classes of all related models anew, which here are nearly all models.
"""

from typing import Any

from django.db.backends.base.schema import BaseDatabaseSchemaEditor
from django.db.migrations.operations import CreateModel, SeparateDatabaseAndState
from django.db.migrations.state import ProjectState


class StateAtOnce(SeparateDatabaseAndState):
    """Made anew once, after the last of its operations, and only if somebody asks for a class."""

    def state_forwards(self, app_label: str, state: ProjectState) -> None:
        state.__dict__.pop("apps", None)  # a cached property
        super().state_forwards(app_label, state)


class CreateModels(StateAtOnce):
    """Several models, each after those that it names."""

    def __init__(self, models: list[CreateModel]) -> None:
        super().__init__(state_operations=models)

    def deconstruct(self) -> tuple[str, list[Any], dict[str, Any]]:
        return type(self).__qualname__, [self.state_operations], {}

    def database_forwards(
        self,
        app_label: str,
        schema_editor: BaseDatabaseSchemaEditor,
        from_state: ProjectState,
        to_state: ProjectState,
    ) -> None:
        for model in self.state_operations:
            model.database_forwards(app_label, schema_editor, from_state, to_state)

    def database_backwards(
        self,
        app_label: str,
        schema_editor: BaseDatabaseSchemaEditor,
        from_state: ProjectState,
        to_state: ProjectState,
    ) -> None:
        for model in reversed(self.state_operations):
            model.database_backwards(app_label, schema_editor, from_state, to_state)

    def describe(self) -> str:
        return f"Create {len(self.state_operations)} models"
