"""Benchmark problems never enter a train split."""

import io
from pathlib import Path
from typing import Any

import pytest
from django.core.management import CommandError, call_command

from labeling.actions.problem_held_out import load_held_out
from labeling.formats.normalise import problem_key
from labeling.models import AuditEvent, HeldOutText, ImportJob, Label, Problem, Project, Trace
from labeling.tests.factories import make_project
from labeling.tests.imports.files import (
    SHARED_DATA,
    import_bytes,
    import_file,
    lines,
    neutral_row,
    prm800k_row,
)

pytestmark = pytest.mark.django_db(transaction=True)

BENCHMARK = "What is $2+2$?"


@pytest.fixture
def project() -> Project:
    return make_project("algebra")


def hold_out(*problems: str, name: str = "MATH-500", project: Project | None = None) -> None:
    load_held_out(name, io.BytesIO(lines(*[{"problem": text} for text in problems])), project=project)


def held_out_faults(job: ImportJob) -> list[dict[str, Any]]:
    (kind,) = job.report["faults"]["kinds"]
    assert kind["kind"] == "held_out_problem"
    return kind["examples"]


def test_a_train_row_of_a_held_out_problem_is_refused_with_its_place(project: Project, tmp_path: Path) -> None:
    hold_out(BENCHMARK)
    rows = lines(neutral_row("Another?"), neutral_row("What  is\n$2+2$?"), neutral_row("What  is\n$2+2$?", steps=["x"]))
    job = import_bytes(project, rows, tmp_path)
    (fault,) = held_out_faults(job)
    assert (fault["line"], fault["field"]) == (2, "problem")
    assert fault["found"] == "MATH-500: What  is\n$2+2$?"
    assert "held_out" in fault["do"]
    assert not job.report["imported"]
    assert not Problem.objects.exists()


def test_skipping_faulty_rows_leaves_out_the_held_out_ones_with_their_traces_and_labels(
    project: Project, tmp_path: Path
) -> None:
    hold_out(BENCHMARK)
    job = import_bytes(project, lines(prm800k_row("Another?"), prm800k_row()), tmp_path, skip_faulty=True)
    assert job.report["imported"]
    assert held_out_faults(job)[0]["field"] == "question.problem"
    assert [problem.text for problem in Problem.objects.all()] == ["Another?"]
    assert (Trace.objects.count(), Label.objects.count()) == (1, 1)


def test_a_held_out_problem_comes_in_as_held_out(project: Project, tmp_path: Path) -> None:
    hold_out(BENCHMARK)
    job = import_bytes(project, lines(neutral_row(BENCHMARK, split="held_out")), tmp_path)
    assert job.report["imported"]
    assert Problem.objects.get().split == "held_out"
    again = import_bytes(project, lines(neutral_row(BENCHMARK, steps=["Other steps."])), tmp_path)
    assert again.report["imported"], "the problem is known here, and stays held out"
    assert Problem.objects.get().split == "held_out"


def test_a_list_of_one_project_does_not_bind_another(project: Project, tmp_path: Path) -> None:
    hold_out(BENCHMARK, project=make_project())
    assert import_bytes(project, lines(neutral_row(BENCHMARK)), tmp_path).report["imported"]


def test_problems_that_are_here_already_become_held_out(project: Project, tmp_path: Path) -> None:
    import_bytes(project, lines(neutral_row(BENCHMARK), neutral_row("Another?")), tmp_path)
    hold_out(BENCHMARK)
    assert dict(Problem.objects.values_list("text", "split")) == {BENCHMARK: "held_out", "Another?": "train"}
    event = AuditEvent.objects.get(action="problems.hold_out")
    assert (event.project, event.detail) == (project, {"problems": 1})


def test_a_list_is_problems_or_hashes_and_may_come_twice(tmp_path: Path) -> None:
    file = tmp_path / "list"
    file.write_bytes(lines({"question": "One?", "answer": "1"}, neutral_row("Two?")))
    assert "2 problems are now held out, 0 were already" in load("GSM8K", str(file))
    file.write_text("\n".join(problem_key(text).hex() for text in ("Two?", "Three?")) + "\n")
    assert "1 problems are now held out, 1 were already" in load("GSM8K", str(file))
    assert set(HeldOutText.objects.values_list("name", flat=True)) == {"GSM8K"}
    assert "3 hashes removed" in load("GSM8K", "--remove")


def test_a_faulty_list_is_refused_whole(tmp_path: Path) -> None:
    file = tmp_path / "list"
    for content, complaint in (
        (lines(neutral_row("One?"), {"steps": []}), "Line 2 has no `problem`"),
        (lines(neutral_row("One?"), b"{\n"), "Line 2:"),
        (b"0" * 64 + b"\nabc\n", "Not a SHA-256 in hex: abc"),
        (b"\n", "The file is empty"),
    ):
        file.write_bytes(content)
        with pytest.raises(CommandError, match=complaint):
            load("list", str(file))
    assert not HeldOutText.objects.exists()


def test_processbench_and_math_500_are_refused_by_their_own_files(project: Project) -> None:
    benchmark = SHARED_DATA / "processbench_math.jsonl"
    if not benchmark.exists():
        pytest.skip("needs the shared data (STEPMARK_SHARED_DATA)")
    load("ProcessBench", str(benchmark))
    job = import_file(project, benchmark, skip_faulty=True, split="train")
    texts = HeldOutText.objects.count()
    assert texts > 100
    assert job.report["problems"]["new"] == 0
    assert job.report["traces"]["new"] == 0
    assert sum(kind["count"] for kind in job.report["faults"]["kinds"]) >= texts
    assert import_file(project, SHARED_DATA / "mrben_physics.jsonl").report["traces"]["new"] > 600


def test_a_known_benchmark_is_held_out_unless_somebody_says_otherwise(tmp_path: Path) -> None:
    rows = lines(
        neutral_row("By source?", source="processbench_math"),
        neutral_row("By id?", problem_id="test/algebra/12.json"),
        neutral_row("Not known?", source="prm800k_val"),
        neutral_row("Says so itself?", source="MATH-500", split="train"),
    )

    def splits(**asked: str) -> list[str]:
        project = make_project()
        job = import_bytes(project, rows, tmp_path, **asked)
        held_out = int(asked.get("split") != "train")
        assert job.report["benchmarks"] == [
            met("ProcessBench", held_out=held_out, by_split=1),
            met("the test split of MATH", held_out=held_out, by_split=1),
            met("MATH-500", says_train=1),
        ]
        return list(Problem.objects.filter(project=project).order_by("pk").values_list("split", flat=True))

    assert splits() == ["held_out", "held_out", "train", "train"]
    assert splits(split="train") == ["train"] * 4
    assert splits(split="held_out") == ["held_out", "held_out", "held_out", "train"]
    named = tmp_path / "mr-ben_physics.jsonl"
    named.write_bytes(lines(neutral_row("By the file's name?")))
    job = import_file(make_project(), named)
    assert job.report["benchmarks"] == [met("Mr-Ben", held_out=1, by_split=1)]


def test_rows_of_a_benchmark_that_say_train_themselves_are_not_told_as_held_out(tmp_path: Path) -> None:
    """Our exports state a split: benchmark rows that someone moved into training are imported with it."""
    file = tmp_path / "back.jsonl"

    def told(*said: str, **asked: str) -> str:
        rows = [
            neutral_row(f"Problem {number}?", source="Mr-Ben", **({"split": split} if split else {}))
            for number, split in enumerate(said)
        ]
        file.write_bytes(lines(*rows))
        out = io.StringIO()
        call_command("import_traces", make_project().slug, str(file), stdout=out, **asked)
        [line] = [line.strip() for line in out.getvalue().splitlines() if "a benchmark" in line]
        return line.removeprefix(f"{len(said)} rows of Mr-Ben, a benchmark: ")

    before = "problems held out before stay held out"
    itself = f"in the train split, as their `split` says ({before})"
    assert told("train", "train") == itself
    assert told("train", "") == f"1 held out (--split train overrides this), 1 {itself}"
    assert told("", "") == "held out (--split train overrides this)"
    assert told("held_out", "held_out") == "held out"
    assert told("", "", split="train") == f"new problems in the train split, as requested ({before})"
    assert told("", "held_out", split="train").startswith("1 held out, 1 new problems in the train split, as requested")


def met(name: str, *, rows: int = 1, held_out: int = 0, says_train: int = 0, by_split: int = 0) -> dict[str, Any]:
    return {"name": name, "rows": rows, "held_out": held_out, "says_train": says_train, "by_split": by_split}


def load(*words: str) -> str:
    out = io.StringIO()
    call_command("load_held_out", *words, stdout=out)
    return out.getvalue()
