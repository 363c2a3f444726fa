"""ProcessBench files are imported as their authors wrote them, and can never be trained on."""

from pathlib import Path
from typing import Any

import orjson
import pytest

from labeling.models import AuditEvent, ImportJob, Problem, Trace
from labeling.tests.factories import make_project
from labeling.tests.imports.files import SHARED_DATA, faults_of, import_bytes, lines, neutral_row

pytestmark = pytest.mark.django_db(transaction=True)


def row(**fields: Any) -> dict[str, Any]:
    """Return a valid row."""
    return {
        "id": "gsm8k-3",
        "generator": "Qwen2-7B-Instruct",
        "problem": "What is $2+2$?",
        "steps": ["Add.", "It is 5."],
        "final_answer_correct": False,
        "label": 1,
        **fields,
    }


def test_a_row_becomes_a_held_out_problem_and_a_trace_with_its_first_error(tmp_path: Path) -> None:
    job = import_bytes(make_project(), lines(row(note="kept")), tmp_path)
    assert (job.format, job.status) == ("processbench", ImportJob.Status.SUCCEEDED)
    problem, trace = Problem.objects.get(), Trace.objects.get()
    assert (problem.split, problem.external_id, problem.subject) == ("held_out", "gsm8k-3", "gsm8k")
    assert (trace.source, trace.generator, trace.outcome) == ("ProcessBench", "Qwen2-7B-Instruct", "wrong")
    assert (trace.recorded_first_error, trace.metadata) == (1, {"note": "kept"})


def test_a_problem_that_was_here_to_be_trained_on_is_held_out_from_then_on(tmp_path: Path) -> None:
    project = make_project()
    import_bytes(project, lines(neutral_row("What  is\n$2+2$?"), neutral_row("Another?")), tmp_path)
    import_bytes(project, lines(row()), tmp_path)
    assert dict(Problem.objects.values_list("text", "split")) == {"What  is\n$2+2$?": "held_out", "Another?": "train"}
    assert AuditEvent.objects.get(action="problems.hold_out").detail == {"problems": 1}
    import_bytes(project, lines(neutral_row(steps=["Other steps."])), tmp_path)
    assert Problem.objects.filter(split="held_out").count() == 1


@pytest.mark.parametrize(
    ("fields", "kind", "field"),
    [
        ({"label": 2}, "no_such_step", "label"),
        ({"label": -2}, "no_such_step", "label"),
        ({"label": "1"}, "wrong_type", "label"),
        ({"label": None}, "wrong_type", "label"),
        ({"label": True}, "wrong_type", "label"),
        ({"split": "train"}, "held_out_problem", "split"),
        ({"first_error": 1}, "unexpected_key", "first_error"),
        ({"id": [7]}, "wrong_type", "id"),
        ({"id": "x" * 201}, "text_too_long", "id"),
        ({"steps": ["a", " "]}, "empty_step", "steps[1]"),
        ({"steps": []}, "no_steps", "steps"),
        ({"final_answer_correct": 1}, "wrong_type", "final_answer_correct"),
        ({"problem": ""}, "empty_problem", "problem"),
    ],
)
def test_a_faulty_row_is_told_with_its_line_and_field(
    fields: dict[str, Any], kind: str, field: str, tmp_path: Path
) -> None:
    job = import_bytes(make_project(), lines(row(problem="Good?"), row(**fields)), tmp_path, format="processbench")
    assert faults_of(job)[0] == (kind, 2, field)
    assert not Problem.objects.exists()


def test_a_row_without_a_label_is_told_what_to_add(tmp_path: Path) -> None:
    bare = {name: value for name, value in row().items() if name != "label"}
    job = import_bytes(make_project(), lines(bare), tmp_path, format="processbench")
    assert faults_of(job) == [("missing_field", 1, "label")]


def test_the_real_benchmark_comes_in_whole(tmp_path: Path) -> None:
    file = SHARED_DATA / "processbench_gsm8k.jsonl"
    if not file.exists():
        pytest.skip("needs the shared data (STEPMARK_SHARED_DATA)")
    real = [orjson.loads(line) for line in file.read_bytes().splitlines()]
    published = [
        {
            "id": f"gsm8k-{number}",
            **{name: one[name] for name in ("generator", "problem", "steps", "final_answer_correct")},
            "label": one["first_error"],
        }
        for number, one in enumerate(real)
    ]
    job = import_bytes(make_project(), lines(*published), tmp_path)
    assert (job.format, job.report["traces"]["new"], job.report["problems"]["new"]) == ("processbench", 221, 207)
    assert Trace.objects.filter(recorded_first_error__gte=0).count() == sum(one["first_error"] >= 0 for one in real)
    assert not Problem.objects.exclude(split="held_out").exists()
