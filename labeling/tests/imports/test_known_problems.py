"""What an import changes in existing problems and traces, and what it only reports."""

from pathlib import Path
from typing import Any

import pytest
from django.core.management import call_command

from labeling.actions import import_staging
from labeling.models import ImportJob, Problem, Trace
from labeling.tests.accounts import Browser
from labeling.tests.factories import join, make_project, make_user
from labeling.tests.imports.files import import_bytes, lines, neutral_row

pytestmark = pytest.mark.django_db(transaction=True)
FIELDS = ("answer", "accepted_answers", "reference_solution", "external_id", "subject", "level", "licence", "source")


def problem_row(problem: str, **fields: Any) -> dict[str, Any]:
    return {"problem": problem, **fields}


def test_a_problem_that_came_with_its_traces_takes_its_answer_from_a_later_file(tmp_path: Path) -> None:
    project = make_project()
    import_bytes(project, lines(neutral_row("Late 1", ["a"], final_answer="42")), tmp_path)
    fields = {"answer": "42", "problem_id": "late-1", "subject": "S", "level": "3", "licence": "MIT", "source": "GSM8K"}
    row = problem_row("Late 1", **fields, solution="So.", ground_truth_answers=["42.0"])
    job = import_bytes(project, lines(row), tmp_path, format="problems", split="train")
    assert Problem.objects.filter(project=project).values_list(*FIELDS).get() == (
        *("42", ["42.0"], "So.", "late-1", "S", "3", "MIT", "GSM8K"),
    )
    assert job.report["problems"] == {"new": 0, "known": 1, "filled": 1}
    assert "other_answers" not in job.report
    assert Trace.objects.get(project=project).outcome == "ungraded"  # Grade does it
    researcher = make_user("researcher")
    join(project, researcher, "researcher")
    assert Browser(researcher).get(f"/api/imports/{job.pk}").json()["report"]["problems"]["filled"] == 1
    again = import_bytes(project, lines(row), tmp_path, format="problems")
    assert again.report["problems"] == {"new": 0, "known": 1}


@pytest.mark.parametrize("batch", [1, 5000])
def test_what_a_problem_has_stays_and_the_first_row_of_a_file_fills_the_rest(
    batch: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(import_staging, "BATCH_ROWS", batch)
    project = make_project()
    import_bytes(project, lines(neutral_row("Known?", ["a"], subject="Algebra", ground_truth_answer="4")), tmp_path)
    import_bytes(project, lines(neutral_row("Open?", ["a"])), tmp_path)
    rows = [
        problem_row("Known?", subject="Numbers", level="1", ground_truth_answers=["5"]),
        problem_row("Known?", level="2", problem_id="known"),
        problem_row("Open?", ground_truth_answers=["7", "seven"]),
        problem_row("Open?", answer="8", subject="Sums"),
        problem_row("New?"),
        problem_row("New?", subject="of the same file"),
    ]
    job = import_bytes(project, lines(*rows), tmp_path, format="problems", split="train")
    kept = Problem.objects.filter(project=project).order_by("id").values_list("answer", "accepted_answers", "subject")
    assert list(kept) == [("4", [], "Algebra"), (None, ["7", "seven"], "Sums"), (None, [], "")]
    assert Problem.objects.filter(text="Known?").values_list("level", "external_id").get() == ("1", "known")
    assert job.report["problems"] == {"new": 1, "known": 2, "filled": 2}
    other = job.report["other_answers"]["examples"]
    assert [(one["line"], one["kept"], one["given"]) for one in other] == [(1, "4", "5"), (4, None, "8")]


def test_what_a_traces_row_says_of_a_known_problem_is_kept_beside_the_trace(tmp_path: Path) -> None:
    project = make_project()
    import_bytes(project, lines(neutral_row("Open?", ["a"])), tmp_path)
    job = import_bytes(project, lines(neutral_row("Open?", ["b"], ground_truth_answer="8")), tmp_path)
    assert job.report["problems"] == {"new": 0, "known": 1}
    assert Problem.objects.get(project=project).answer is None
    assert Trace.objects.get(steps=["b"]).metadata == {"problem_as_given": {"ground_truth_answer": "8"}}


def test_a_dry_run_says_what_would_be_filled_and_fills_nothing(tmp_path: Path) -> None:
    project = make_project()
    import_bytes(project, lines(neutral_row("Late?", ["a"])), tmp_path)
    row = problem_row("Late?", answer="1")
    job = import_bytes(project, lines(row), tmp_path, format="problems", split="train", dry_run=True)
    assert job.report["problems"] == {"new": 0, "known": 1, "filled": 1}
    assert Problem.objects.get(project=project).answer is None


def test_an_import_that_holds_out_known_problems_says_how_many(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    project = make_project()
    import_bytes(project, lines(neutral_row("Mine?"), neutral_row("Held?", split="held_out")), tmp_path)
    file = tmp_path / "held.jsonl"
    rows = [neutral_row(name, split="held_out") for name in ("Mine?", "Held?", "New?")]
    file.write_bytes(lines(*rows, neutral_row("Both?"), neutral_row("Both?", split="held_out")))
    call_command("import_traces", project.slug, str(file), "--dry-run")
    assert "2 new, 2 already known, 1 held out from now on" in capsys.readouterr().out
    job = import_bytes(project, lines(*rows), tmp_path)
    assert job.report["problems"] == {"new": 1, "known": 2, "held_out": 1}
    assert not Problem.objects.filter(project=project, split="train").exists()


def test_ids_that_name_another_problem_in_the_project_or_above_are_told_and_imported(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    project = make_project()
    names = [f"Ask {number}?" for number in range(12)]
    known = [neutral_row(name, ["a"], problem_id=f"p-{number}") for number, name in enumerate(names)]
    assert "other_problems" not in import_bytes(project, lines(*known, known[0]), tmp_path).report
    assert "other_problems" not in import_bytes(project, lines(neutral_row("No id?")), tmp_path).report
    import_bytes(make_project(), lines(neutral_row("Elsewhere?", problem_id="new")), tmp_path)
    rows = [
        neutral_row("  Ask   0?", ["b"], problem_id="p-0"),  # the same problem
        neutral_row("Ask 1?", ["b"], problem_id="other"),  # known by another id
        neutral_row("Other?", problem_id="other"),
        neutral_row("Mine?", problem_id="p-0"),
        neutral_row("Mine?", ["c"], problem_id="p-0"),
        neutral_row("First?", problem_id="new"),
        neutral_row("Second?", problem_id="new"),
        neutral_row("Long? " * 100, problem_id="p-3"),
    ]
    dry = import_bytes(project, lines(*rows), tmp_path, dry_run=True)
    job = import_bytes(project, lines(*rows), tmp_path)
    assert (
        job.report["other_problems"]
        == dry.report["other_problems"]
        == {
            "problems": 4,
            "examples": [
                {"line": 3, "problem_id": "other", "kept": "Ask 1?", "given": "Other?"},
                {"line": 4, "problem_id": "p-0", "kept": "Ask 0?", "given": "Mine?"},
                {"line": 7, "problem_id": "new", "kept": "First?", "given": "Second?"},
                {"line": 8, "problem_id": "p-3", "kept": "Ask 3?", "given": ("Long? " * 100)[:100]},
            ],
        }
    )
    assert Problem.objects.get(project=project, text="Mine?").external_id == "p-0"
    everything = [neutral_row(f"New {number}?", problem_id=f"p-{number}") for number in range(12)]
    file = tmp_path / "again.jsonl"
    file.write_bytes(lines(*everything))
    call_command("import_traces", project.slug, str(file))
    assert "another problem under the same id than the one kept: 12 (line 1: 'New 0?', kept: 'Ask 0?')" in (
        capsys.readouterr().out
    )
    researcher = make_user("researcher")
    join(project, researcher, "researcher")
    newest = ImportJob.objects.latest("pk")
    told = Browser(researcher).get(f"/api/imports/{newest.pk}").json()["report"]["other_problems"]
    assert (told["problems"], len(told["examples"])) == (12, 10)


def test_another_final_answer_or_source_of_a_known_trace_is_told_with_its_line(tmp_path: Path) -> None:
    project = make_project()
    row = neutral_row("Uq 1", ["a", "b"], final_answer="4", source="A")
    import_bytes(project, lines(row, neutral_row("Uq 2", ["a"])), tmp_path)
    rows = [
        row,  # says the same
        row | {"final_answer": None, "source": ""},  # says nothing
        row | {"final_answer": "5"},
        neutral_row("Uq 2", ["a"], final_answer="6", source="B"),
        neutral_row("Uq 3", ["a"], final_answer="7"),
        neutral_row("Uq 3", ["a"], final_answer="8"),
    ]
    job = import_bytes(project, lines(*rows), tmp_path)
    assert job.report["other_final_answers"] == {
        "rows": 3,
        "examples": [
            {"line": 3, "kept": "4", "given": "5"},
            {"line": 4, "kept": None, "given": "6"},
            {"line": 6, "kept": "7", "given": "8"},
        ],
    }
    assert job.report["other_sources"] == {"rows": 1, "examples": [{"line": 4, "kept": "", "given": "B"}]}
    assert Trace.objects.get(project=project, problem__text="Uq 1").final_answer == "4"
    researcher = make_user("researcher")
    join(project, researcher, "researcher")
    told = Browser(researcher).get(f"/api/imports/{job.pk}").json()["report"]
    assert told["other_final_answers"]["rows"] == 3
    assert {"other_final_answers", "other_sources"}.isdisjoint(import_bytes(project, lines(row), tmp_path).report)
