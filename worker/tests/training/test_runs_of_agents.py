"""A PRM for agent runs reads what agents saw between their steps: the same text in training and in scoring."""

import itertools
import json
from pathlib import Path
from typing import Any

import pytest

from labeling.actions.training_runs import Trained, TrainingCallback, create_training_run, run_training
from labeling.configs import TrainingConfig
from labeling.formats.run_texts import OBSERVED, folded, units_read
from labeling.models import Project, Round, StepScorer, Trace, TrainingRun
from labeling.queries.scores import project_pool, unscored
from labeling.tests.imports.files import import_bytes, lines
from labeling.tests.training.labels import problem_texts
from worker.scoring_chunks import describe, score_project
from worker.tests.prm import tiny
from worker.tests.rounds.world import scores_of
from worker.training import train

pytestmark = pytest.mark.django_db(transaction=True)
LOG = "".join(f"test_{number} ran\n" for number in range(100))


def run_where(task: str, result: str, rating: int) -> dict[str, Any]:
    """A run in which the agent says that all tests pass, whatever the output was."""
    call = {"id": "c1", "type": "function", "function": {"name": "bash", "arguments": '{"cmd": "pytest"}'}}
    messages = [
        {"role": "user", "content": task},
        {"role": "assistant", "content": "I run the tests.", "tool_calls": [call]},
        {"role": "tool", "tool_call_id": "c1", "content": LOG + result},
        {"role": "assistant", "content": "All of them pass."},
    ]
    return {"messages": messages, "step_labels": {"1": 1, "3": rating}, "final_label": rating}


@pytest.fixture(autouse=True)
def base_for_runs(use_base: None, settings: Any) -> None:
    """A base that reads more than a hundred words: 600 characters are that many tokens of the tiny ones."""
    sizes = {"num_hidden_layers": 3, "max_position_embeddings": 2048}
    tiny.step_classifier(settings.MODELS_DIR / "long", kind="llama", **sizes)
    settings.TRAINING_BASES = {"Tiny": "long"}


@pytest.fixture
def runs(project: Project, tmp_path: Path) -> Round:
    """Two labeled runs of each of thirty problems, which differ in what the tests printed."""
    tasks = itertools.islice(problem_texts(False), 30)
    rows = [run_where(task, *seen) for task in tasks for seen in (("7 passed", 1), ("1 failed, 6 passed", -1))]
    job = import_bytes(project, lines(*rows), tmp_path, labels_of="ada", split="train")
    assert job.status == "succeeded", job.report
    return Round.objects.get(project=project)


def trained(project: Project, round_: Round, **switches: str) -> tuple[StepScorer, list[dict[str, Any]]]:
    """Return the PRM of a run, and the rows that its trainer got."""
    config = TrainingConfig((round_.pk,), "Tiny", switches=switches)
    run = create_training_run(project, by=None, config=config, wake=False)
    given: list[dict[str, Any]] = []

    def keeping(run: TrainingRun, data: Path, callback: TrainingCallback) -> Trained:
        given.extend(json.loads(line) for line in data.read_bytes().splitlines())
        return train(run, data, callback)

    done = run_training(run.pk, keeping, describe)
    assert done is not None
    assert done.prm is not None, done.error
    return done.prm, given


def test_what_a_prm_scores_of_a_run_is_the_text_that_it_was_trained_on(project: Project, runs: Round) -> None:
    prm, rows = trained(project, runs)
    by_problem: dict[int, list[list[str]]] = {}
    for row in rows:
        by_problem.setdefault(row["problem_id"], []).append(row["steps"])
    for problem, learned in by_problem.items():
        read = [trace.steps for trace in unscored(project_pool(project), prm, problem, 256)]
        assert sorted(read) == sorted(learned)
    [calls, says] = rows[0]["steps"]
    assert (rows[0]["context"][0], calls) == (0, 'I run the tests.\n\nbash({"cmd":"pytest"})')
    assert says.startswith("[result]\ntest_0 ran\n")
    assert says.endswith("[agent]\nAll of them pass.")
    assert says[rows[0]["context"][1] :] == "All of them pass."
    assert len(says) < OBSERVED + 100, "the log has two thousand characters"
    assert {one[1].split("\n[agent]\n")[0].rsplit("\n")[-1] for one in (row["steps"] for row in rows)} == {
        "7 passed",
        "1 failed, 6 passed",
    }


def test_what_an_agent_saw_changes_the_score_of_what_it_says_and_of_nothing_where_it_is_left_out(
    project: Project, runs: Round
) -> None:
    for switches, told in (({}, True), ({"observed": "left_out"}, False)):
        prm, rows = trained(project, runs, **switches)
        assert (prm.spec.get("observed"), "context" in rows[0]) == ((OBSERVED, True) if told else (None, False))
        assert score_project(project, prm, 0) == ("", 60)
        scores = scores_of(prm)
        of_problem: dict[int, list[float]] = {}
        for trace in Trace.objects.filter(pk__in=scores):
            of_problem.setdefault(trace.problem_id, []).append(scores[trace.pk][0][1])
        assert all((one != other) is told for one, other in of_problem.values())


def test_context_is_told_once_in_its_order_and_folded_to_the_length_that_is_stated() -> None:
    long = "a" * 500 + "b" * 500
    typed = [
        {"kind": "system", "actor": "system", "text": "Be brief.", "after": -1},
        {"kind": "message", "actor": "user", "text": "Mend  it.", "after": -1},
        {"kind": "tool_call", "actor": "agent", "text": "", "tool": "bash", "unit": 0},
        {"kind": "observation", "actor": "tool", "text": long, "tool": "bash", "is_error": True, "after": 0},
        {"kind": "observation", "actor": "tool", "text": "", "table": {"columns": ["x"], "rows": [["1"]]}, "after": 0},
        {"kind": "final", "actor": "agent", "text": "Done.", "unit": 1},
        {"kind": "message", "actor": "user", "text": "Thanks.", "after": 1},
    ]
    first, second = units_read("Mend it.", typed, ["bash()", "Done."], 300)
    assert first == ("[system]\nBe brief.\n[agent]\nbash()", 27)
    assert second.text == (
        f"[result of bash, failed]\n{'a' * 200}\n[… 700 characters …]\n{'b' * 100}\n[result]\nx\n1\n[agent]\nDone."
    )
    assert second.text[second.seen :] == "Done."
    assert folded("short", 300) == "short"
