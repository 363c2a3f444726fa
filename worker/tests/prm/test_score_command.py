"""`python -m worker.prm.score` alone: a file in, a file out, resumable after a stop at any byte."""

import json
from pathlib import Path
from typing import Any

import pytest

from labeling.tests.killed_process import run_until_call
from worker.prm.score import main
from worker.tests.prm import tiny

ROWS = [
    {"problem": f"What is {number % 7}+1?", "steps": [f"So {number % 7}+1 = {number}.", f"A: {number}"], "extra": 1}
    for number in range(40)
]


class Files:
    def __init__(self, folder: Path) -> None:
        self.model, self.traces, self.out = folder / "prm.json", folder / "traces.jsonl", folder / "out.jsonl"
        tiny.step_classifier(folder / "weights")
        self.record(family="step_classifier", path="weights")
        self.write(ROWS)

    def record(self, **fields: Any) -> None:
        self.model.write_text(json.dumps(fields))

    def write(self, rows: list[dict[str, Any]]) -> None:
        self.traces.write_text("".join(json.dumps(row) + "\n" for row in rows))

    def score(self, *more: str) -> int:
        return main([str(self.model), str(self.traces), str(self.out), *more])

    def rows(self) -> dict[int, dict[str, Any]]:
        found = [json.loads(line) for line in self.out.read_text().splitlines()]
        assert len({row["line"] for row in found}) == len(found), "a trace was scored twice"
        return {row["line"]: row for row in found}


@pytest.fixture
def files(tmp_path: Path) -> Files:
    return Files(tmp_path)


def test_every_trace_gets_a_row_and_the_unscored_a_reason(files: Files, capsys: pytest.CaptureFixture[str]) -> None:
    files.write([*ROWS, {"problem": "x", "steps": []}])
    assert files.score() == 0
    assert capsys.readouterr().out == "41 traces scored\n"
    rows = files.rows()
    assert set(rows) == set(range(41))
    assert rows[40]["reason"] == "the trace has no steps"
    assert all(len(rows[line]["steps"]) == 2 for line in range(40))


def test_a_stop_at_any_byte_is_gone_on_from(files: Files) -> None:
    files.score()
    whole = files.out.read_bytes()
    expected = files.rows()
    for cut in (0, 1, len(whole) // 3, len(whole) // 2, len(whole) - 1, len(whole)):
        files.out.write_bytes(whole[:cut])
        assert files.score() == 0
        assert set(files.rows()) == set(expected)
        for line, row in files.rows().items():
            assert row["steps"] == pytest.approx(expected[line]["steps"], abs=1e-5)


def test_a_killed_run_is_gone_on_from(files: Files) -> None:
    rows = [{"problem": f"What is {number}+1?", "steps": [f"So {number}.", "A: 1"] * 3} for number in range(120)]
    files.write(rows)
    command = [str(files.model), str(files.traces), str(files.out), "--threads", "1"]
    load = "from worker.prm.score import main"
    run_until_call(f"{load}; main({command})", "prm/score.py:score_group", times=50, load=load)
    before = files.out.read_bytes()
    assert before.count(b"\n") == 49
    assert files.score() == 0
    assert set(files.rows()) == set(range(120))
    assert files.out.read_bytes().startswith(before[: before.rfind(b"\n") + 1])


def test_another_model_does_not_go_on_with_a_file(files: Files, capsys: pytest.CaptureFixture[str]) -> None:
    files.score()
    files.record(family="step_classifier", path="weights", aggregation="min")
    assert files.score() == 1
    assert "scores of another model" in capsys.readouterr().err


def test_a_trace_that_changed_does_not_go_unnoticed(files: Files, capsys: pytest.CaptureFixture[str]) -> None:
    files.score()
    files.write([*ROWS[:5], {**ROWS[5], "steps": ["other"]}, *ROWS[6:]])
    assert files.score() == 1
    assert "Line 6 " in capsys.readouterr().err


@pytest.mark.parametrize("line", ["{", "[]", '{"problem": "x"}', '{"problem": "x", "steps": [1]}'])
def test_a_line_that_is_no_trace_is_named(files: Files, line: str, capsys: pytest.CaptureFixture[str]) -> None:
    files.traces.write_text(json.dumps(ROWS[0]) + "\n" + line + "\n")
    assert files.score() == 1
    assert "Line 2 of the traces" in capsys.readouterr().err


def test_the_best_of_each_problem_are_rescored_in_float32(files: Files) -> None:
    files.score()
    exact = files.rows()
    files.out.unlink()
    files.record(family="step_classifier", path="weights", dtype="bfloat16")
    assert files.score("--rescore", "2") == 0
    same = [line for line, row in files.rows().items() if row["steps"] == pytest.approx(exact[line]["steps"], abs=1e-6)]
    problems = [ROWS[line]["problem"] for line in same]
    assert {problems.count(problem) for problem in set(problems)} == {2}
    assert len(same) == 14
