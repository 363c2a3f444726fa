"""Migrations that are incompatible with running processes of the previous version."""

from typing import Any

from django.db import models
from django.db.migrations import AddField, CreateModel, DeleteModel, Migration, RemoveField

from annotation_app.postgres.upgrades import reasons_to_stop


def migration(name: str, *operations: Any) -> tuple[Migration, bool]:
    return type(name, (Migration,), {"operations": operations})(name, "labeling"), False


def test_what_is_dropped_stops_old_processes_but_not_what_came_with_the_same_upgrade() -> None:
    number = models.IntegerField(default=0)
    change = migration("0002_change", AddField("chunk", "traces", number), RemoveField("chunk", "first"))
    assert [name for name, _ in reasons_to_stop([change])] == ["0002_change"]
    table = migration("0001_table", CreateModel("Chunk", [("id", models.BigAutoField(primary_key=True))]))
    assert list(reasons_to_stop([table, change])) == []
    gone = migration("0003_gone", DeleteModel("Chunk"))
    assert list(reasons_to_stop([table, gone])) == []
    assert list(reasons_to_stop([gone])) == [("0003_gone", "drops Chunk")]
    assert list(reasons_to_stop([migration("0003_drop", RemoveField("chunk", "first"))])) == [
        ("0003_drop", "drops chunk.first")
    ]
