"""What a PRM learns from: labels of the chosen rounds, and nothing that it may be measured on."""

import json
from pathlib import Path
from typing import Any

import pytest

from labeling.actions.evaluations import create_evaluation_set
from labeling.actions.reviews import settle_task
from labeling.formats.training import resolved_switches, training_rows
from labeling.models import Label, Problem, Project, Round, Task, Trace, TrainingRun
from labeling.queries import training_examples
from labeling.queries.exports import packed_ids
from labeling.tests.accounts import Browser
from labeling.tests.factories import make_member, make_project
from labeling.tests.paths.world import PathLabeler, make_problem, open_paths
from labeling.tests.training.labels import import_labels, labeled_row, problem_texts

pytestmark = pytest.mark.django_db(transaction=True)  # an import: another connection renews its lease


def rows_of(project: Project, round_: Round, **asked: str) -> list[dict[str, Any]]:
    """Return the rows that a run over the round would write."""
    switches = resolved_switches(asked)
    ids = training_examples.label_ids(project, [round_.pk], switches)
    run = TrainingRun.objects.create(project=project, base="b", round_ids=[round_.pk], label_ids=packed_ids(ids))
    rows = list(training_rows(training_examples.frozen_labels(run), switches))
    _require_said(project, round_, switches, rows)
    return rows


def _require_said(project: Project, round_: Round, switches: dict[str, str], rows: list[dict[str, Any]]) -> None:
    """Expect the form's figures for a run to match the run."""
    said = training_examples.preview(project, [round_.pk], switches)
    learned = [rating for row in rows for rating in row["step_labels"] if rating is not None]
    assert (said["steps"], said["wrong_steps"]) == (len(learned), learned.count(-1))
    if switches["alternatives"] == "none":
        answers = [row["final_answer_correct"] for row in rows]
        assert (said["right_answers"], said["wrong_answers"]) == (answers.count(True), answers.count(False))
        assert (said["learned"], said["problems"]) == (len(rows), len({row["problem_id"] for row in rows}))


def test_gold_held_out_bad_and_evaluated_problems_are_never_learned(tmp_path: Path) -> None:
    project, texts = make_project(), problem_texts(False)
    names = ("learned", "gold", "held", "bad", "evaluated", "screened")
    by_name = {name: next(texts) for name in names} | {"kept": next(problem_texts(True))}
    round_ = import_labels(project, tmp_path, *(labeled_row(text, [1, -1]) for text in by_name.values()))
    Task.objects.filter(trace__problem__text=by_name["gold"]).update(kind="gold")
    Task.objects.filter(trace__problem__text=by_name["screened"]).update(kind="imported_qc")
    Problem.objects.filter(text=by_name["held"]).update(split="held_out")
    Problem.objects.filter(text=by_name["bad"]).update(status="bad")
    Problem.objects.filter(text=by_name["evaluated"]).update(split="held_out")
    Trace.objects.filter(problem__text=by_name["evaluated"]).update(recorded_first_error=1)
    create_evaluation_set(project, by=None, name="recorded", source="recorded")
    Problem.objects.filter(text=by_name["evaluated"]).update(split="train")
    assert [row["problem"] for row in rows_of(project, round_)] == [by_name["learned"]]
    assert training_examples.preview(project, [round_.pk], resolved_switches({})) == {
        "labels": 5,  # without gold and screening
        "learned": 1,
        "problems": 1,
        "in_evaluation_split": 1,
        "problems_in_evaluation_split": 1,
        "unfinished": 0,
        "hasty": 0,
        "steps": 2,
        "wrong_steps": 1,
        "right_answers": 0,
        "wrong_answers": 1,
        "left_out": {"imported": 0, "surplus": 0, "hasty": 0, "majority": 0, "other": 3},
    }


def test_the_switches_say_what_becomes_of_neutral_steps_and_of_several_labels(tmp_path: Path) -> None:
    project, texts = make_project(), problem_texts(False)
    one, tied = next(texts), next(texts)
    rows = [labeled_row(one, [1, 0, -1], "ada"), labeled_row(one, [1, 0, -1], "ben"), labeled_row(tied, [1, -1], "ada")]
    other = labeled_row(one, [1, 0, -1], "eve")
    other["label"]["steps"][1]["completions"][0]["rating"] = -1
    other["label"]["steps"] = other["label"]["steps"][:2]
    against = labeled_row(tied, [1, -1], "ben")
    against["label"]["steps"][1]["completions"][0]["rating"] = 1
    against["label"]["steps"][1]["chosen_completion"] = 0
    against["label"]["finish_reason"] = "solution"
    round_ = import_labels(project, tmp_path, *rows, other, against)
    each = [row["step_labels"] for row in rows_of(project, round_)]
    assert each == [[1, 1, -1], [1, 1, -1], [1, -1], [1, -1], [1, 1]]
    assert [row["step_labels"] for row in rows_of(project, round_, aggregate="majority")] == [[1, 1, -1]]
    counts = training_examples.preview(project, [round_.pk], resolved_switches({"aggregate": "majority"}))
    run = TrainingRun.objects.earliest("pk")  # of all labels, as runs of a majority were frozen once
    old = list(training_rows(training_examples.frozen_labels(run), resolved_switches({"aggregate": "majority"})))
    assert old == rows_of(project, round_, aggregate="majority")
    assert counts["left_out"]["majority"] == 4  # two of the same trace, and two verdicts that tie
    assert [row["step_labels"] for row in rows_of(project, round_, neutral="drop")][0] == [1, None, -1]
    assert [row["step_labels"] for row in rows_of(project, round_, neutral="negative")][0] == [1, -1], "it is the end"


def test_where_what_was_settled_is_learned_a_ruling_takes_the_place_of_the_labels(tmp_path: Path) -> None:
    project, texts = make_project(), problem_texts(False)
    one, other = next(texts), next(texts)
    rows = [labeled_row(one, [1, -1]), labeled_row(other, [1, 0, -1]), labeled_row(other, [1, 0, -1], "ben")]
    round_ = import_labels(project, tmp_path, *rows)
    Round.objects.filter(pk=round_.pk).update(status="labeling")
    task = Task.objects.get(trace__problem__text=one)
    settle_task(task, by=make_member(project, "researcher"), ratings=[1, 1], finish_reason="solution")
    assert [row["step_labels"] for row in rows_of(project, round_)] == [[1, -1], [1, 1, -1], [1, 1, -1]]
    assert [row["step_labels"] for row in rows_of(project, round_, aggregate="adjudicated")] == [[1, 1], [1, 1, -1]]
    counts = training_examples.preview(project, [round_.pk], resolved_switches({"aggregate": "adjudicated"}))
    assert (counts["labels"], counts["learned"], counts["steps"], counts["wrong_steps"]) == (2, 2, 5, 1)


def test_rated_alternatives_become_rows_of_their_own_in_which_the_path_is_not_learned_twice(tmp_path: Path) -> None:
    project = make_project()
    row = labeled_row(next(problem_texts(False)), [1, -1])
    row["label"]["steps"][1]["completions"].append({"text": "It is 4.", "rating": 1, "flagged": False})
    round_ = import_labels(project, tmp_path, row)
    _path, alternative = rows_of(project, round_, alternatives="rows")
    assert alternative["step_labels"] == [None, 1]
    assert alternative["steps"][1] == "It is 4."


def test_a_round_of_paths_alone_is_learned_from_where_the_completions_that_were_not_chosen_are(settings: Any) -> None:
    settings.GENERATORS = {"qwen": type("Qwen", (), {"models": ()})()}
    project, texts = make_project(), problem_texts(False)
    for text in (next(texts), next(texts)):
        make_problem(project, text)
    round_ = open_paths(project)
    ada = PathLabeler(project, lambda _prefix, number: f"So.\n\n# Answer\n\n{number}")
    for _ in range(2):
        ada.claim()
        ada.rest(-1)
        ada.step(-1, 1, 0)
        ada.submit()
    assert [row["step_labels"] for row in rows_of(project, round_)] == [[1], [1]]
    said = training_examples.preview(project, [round_.pk], resolved_switches({}))
    assert "2 right and 0 wrong steps" in training_examples.too_little(said, resolved_switches({}))
    for neutral, rated in (("positive", [1, -1, 1]), ("negative", [1, -1, -1]), ("drop", [1, -1])):
        rows = rows_of(project, round_, alternatives="rows", neutral=neutral)
        assert [row["step_labels"] for row in rows] == [[one] for one in rated] * 2
        switches = resolved_switches({"alternatives": "rows", "neutral": neutral})
        assert not training_examples.too_little(training_examples.preview(project, [round_.pk], switches), switches)


def test_rows_say_nothing_of_the_labelers_and_come_in_one_order(tmp_path: Path, django_assert_num_queries: Any) -> None:
    project, texts = make_project(), problem_texts(False)
    rows = [labeled_row(next(texts), [1, 1, -1], labeler) for labeler in ("zoe", "ada", "ben")]
    round_ = import_labels(project, tmp_path, *rows)
    found = rows_of(project, round_)
    assert found == rows_of(project, round_)
    assert not {"zoe", "ada", "ben"} & set(json.dumps(found).split('"'))
    told = {"problem_id", "problem", "generator", "steps", "step_labels", "final_answer_correct"}
    assert set(found[0]) == told | {"round", "by_chance"}
    run = TrainingRun.objects.select_related("project").latest("pk")
    with django_assert_num_queries(6):  # ids, labels, traces, problems, step labels, rounds: of a thousand at a time
        list(training_examples.frozen_labels(run))
    with django_assert_num_queries(2):
        training_examples.preview(project, [round_.pk], resolved_switches({}))


def test_a_label_changed_after_its_labeler_saw_the_scores_is_left_out(tmp_path: Path) -> None:
    project = make_project()
    round_ = import_labels(project, tmp_path, labeled_row(next(problem_texts(False)), [1, -1]))
    Label.objects.update(edited_after_reveal=True)
    assert rows_of(project, round_) == []


def test_a_preview_knows_the_same_switches_as_a_run() -> None:
    project = make_project()
    browser = Browser(make_member(project, "researcher"))
    body = {"round_ids": [], "switches": {"neutral": "perhaps", "aggregates": "each"}}
    refused = browser.call("POST", f"/api/projects/{project.slug}/training_runs/preview", body, status=400)
    assert set(refused["fields"]) == {"neutral", "aggregates"}


def test_a_row_says_which_round_it_is_of_and_whether_chance_drew_its_trace(tmp_path: Path) -> None:
    project, texts = make_project(), problem_texts(False)
    drawn, chosen, plain = next(texts), next(texts), next(texts)
    round_ = import_labels(project, tmp_path, *(labeled_row(text, [1, -1]) for text in (drawn, chosen, plain)))
    Task.objects.filter(trace__problem__text=drawn).update(reason="control")
    Task.objects.filter(trace__problem__text=chosen).update(reason="convincing_wrong")
    found = {row["problem"]: (row["round"], row["by_chance"]) for row in rows_of(project, round_)}
    assert found == {drawn: (round_.pk, True), chosen: (round_.pk, False), plain: (round_.pk, False)}
