"""JSON within a row's text, as in tool calls: values that the database cannot store are a fault with its line."""

import json
from pathlib import Path
from typing import Any

import pytest

from labeling.formats.typed_steps import KINDS
from labeling.models import Trace
from labeling.tests.factories import make_project
from labeling.tests.imports.files import import_bytes, lines, neutral_row

pytestmark = pytest.mark.django_db(transaction=True)  # an import: another connection renews its lease


def nested(depth: int) -> Any:
    value: Any = "x"
    for _ in range(depth):
        value = [value]
    return value


def chat(arguments: Any) -> dict[str, Any]:
    call = {"id": "1", "type": "function", "function": {"name": "f", "arguments": json.dumps(arguments)}}
    return {
        "messages": [
            {"role": "user", "content": "Do it."},
            {"role": "assistant", "content": "I do.", "tool_calls": [call]},
            {"role": "tool", "tool_call_id": "1", "content": "Done."},
            {"role": "assistant", "content": "Finished."},
        ]
    }


def typed(*, as_text: bool = True, **more: Any) -> dict[str, Any]:
    steps = [{"kind": sorted(KINDS)[0], "actor": "a", "text": "One.", "unit": 0, **more}]
    return neutral_row("P?", ["One."], typed_steps=json.dumps(steps) if as_text else steps)


@pytest.mark.parametrize(
    ("row", "kind"),
    [
        (chat({"a": "x\x00y"}), "nul_character"),
        (chat({"x\x00y": 1}), "nul_character"),
        (typed(text="x\x00y"), "nul_character"),
        (typed(more=nested(400)), "nested_too_deep"),
        (typed(more=nested(400), as_text=False), "nested_too_deep"),
        (typed(nested=nested(330)), "nested_too_deep"),
        (typed(more=2**70), "number_too_large"),
        (typed(more=2**70, as_text=False), "number_too_large"),
    ],
)
def test_what_cannot_be_held_is_a_fault_and_the_other_rows_come_in(
    row: dict[str, Any], kind: str, tmp_path: Path
) -> None:
    good = chat({"a": "b"}) if "messages" in row else typed()
    job = import_bytes(make_project(), lines(good, row), tmp_path, skip_faulty=True)
    assert job.status == "succeeded", job.error
    [found] = job.report["faults"]["kinds"]
    assert (found["kind"], found["count"], found["examples"][0]["line"]) == (kind, 1, 2)
    assert Trace.objects.count() == 1


def test_deep_arguments_of_a_tool_call_end_in_a_fault_or_are_kept(tmp_path: Path) -> None:
    project = make_project()
    job = import_bytes(project, lines(chat(nested(90)), chat(nested(600))), tmp_path, skip_faulty=True)
    assert job.status == "succeeded", job.error
    [found] = job.report["faults"]["kinds"]
    assert found["examples"][0]["line"] == 2
    assert Trace.objects.count() == 1
