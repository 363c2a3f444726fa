"""Further rows about a known trace are stored next to the trace's own value, and count where truth is computed."""

from pathlib import Path
from typing import Any

import pytest

from labeling.actions.evaluations import create_evaluation_set
from labeling.models import EvaluationItem, Project, RecordedVerdict, Trace
from labeling.queries.recorded_verdicts import recorded_verdicts
from labeling.tests.accounts import Browser
from labeling.tests.factories import join, make_project, make_user
from labeling.tests.imports.files import import_bytes, lines, neutral_row

pytestmark = pytest.mark.django_db(transaction=True)


def told(project: Project, **fields: Any) -> dict[str, Any]:
    return neutral_row(steps=["Add.", "It is 5."], **fields)


def opinions(project: Project) -> list[tuple[Any, ...]]:
    fields = ("line", "recorded_by", "generator", "outcome", "first_error", "ratings")
    return list(RecordedVerdict.objects.filter(trace__project=project).order_by("id").values_list(*fields))


def test_a_row_that_says_something_else_of_a_known_trace_is_kept_with_who_says_it(tmp_path: Path) -> None:
    project = make_project()
    own = told(project, first_error=1, step_labels=[1, -1], final_answer_correct=False, generator="G")
    rows = [
        own,
        own,  # says the same
        told(project),  # says nothing
        own | {"first_error": 0, "step_labels": None, "reason": "why"},
        own | {"step_labels": [0, -1]},
        own | {"final_answer_correct": True},
        own | {"generator": "H"},
        own | {"labeler": "B"},  # another source agrees
        own | {"first_error": 0, "step_labels": None},  # said in line 4
    ]
    job = import_bytes(project, lines(*rows), tmp_path)
    assert job.report["traces"] == {"new": 1, "duplicate_in_file": 8, "known": 0}
    assert job.report["verdicts"] == {"filled": 0, "new": 5, "known": 0}
    assert opinions(project) == [
        (4, "", "G", "wrong", 0, None),
        (5, "", "G", "wrong", 1, [0, -1]),
        (6, "", "G", "correct", 1, [1, -1]),
        (7, "", "H", "wrong", 1, [1, -1]),
        (8, "B", "G", "wrong", 1, [1, -1]),
    ]
    assert RecordedVerdict.objects.get(line=4).metadata == {"reason": "why"}
    again = import_bytes(project, lines(*rows), tmp_path)
    assert again.report["verdicts"] == {"filled": 0, "new": 0, "known": 5}
    trace = Trace.objects.get(project=project)
    assert [said["first_error"] for said in recorded_verdicts(trace)] == [1, 0, 1, 1, 1, 1]
    researcher = make_user("researcher")
    join(project, researcher, "researcher")
    shown = Browser(researcher).get(f"/api/traces/{trace.pk}").json()["recorded_verdicts"]
    assert (shown[0]["file_name"], shown[1]["file_name"], shown[1]["line"]) == (None, "rows.jsonl", 4)


def test_the_first_word_on_a_trace_of_which_nobody_had_said_anything_becomes_its_own(tmp_path: Path) -> None:
    project = make_project()
    import_bytes(project, lines(told(project)), tmp_path)
    job = import_bytes(
        project, lines(told(project, first_error=1, annotator="A"), told(project, first_error=0)), tmp_path
    )
    assert job.report["verdicts"] == {"filled": 1, "new": 1, "known": 0}
    trace = Trace.objects.get(project=project)
    assert (trace.recorded_first_error, trace.recorded_by) == (1, "A")
    assert [first for *_, first, _ in opinions(project)] == [0]


def test_an_outcome_graded_here_is_no_longer_contradicted_by_the_file(tmp_path: Path) -> None:
    project = make_project()
    row = told(project, final_answer_correct=False)
    import_bytes(project, lines(row), tmp_path)
    Trace.objects.filter(project=project).update(outcome="correct", grader_version="9")
    assert import_bytes(project, lines(row), tmp_path).report["verdicts"]["new"] == 0


def test_of_several_words_an_evaluation_goes_by_the_one_that_most_say(tmp_path: Path) -> None:
    project = make_project()

    def say(problem: str, *first_errors: int | None) -> list[dict[str, Any]]:
        row = neutral_row(problem, ["a", "b", "c"], split="held_out", source="S")
        return [row | {"first_error": first, "labeler": str(turn)} for turn, first in enumerate(first_errors)]

    rows = [*say("Most?", 0, 2, 2), *say("Tie?", 0, 1), *say("One?", 1), *say("Later?", None, -1), *say("None?", None)]
    import_bytes(project, lines(*rows), tmp_path)
    made = create_evaluation_set(project, by=None, name="Set", source="recorded")
    items = EvaluationItem.objects.filter(evaluation_set=made)
    truth = dict(items.values_list("trace__problem__text", "first_error"))
    assert truth == {"Most?": 2, "One?": 1, "Later?": -1}


def test_a_further_right_answer_of_a_known_problem_is_told_with_its_line(tmp_path: Path) -> None:
    project = make_project()
    first = neutral_row("Which?", ["A."], problem_id="one", ground_truth_answer="4", ground_truth_answers=["four"])
    import_bytes(project, lines(first, neutral_row("Open?", ["B."])), tmp_path)
    rows = [
        first | {"steps": ["C."], "ground_truth_answer": "5"},
        first | {"steps": ["D."], "ground_truth_answer": "four"},  # already accepted
        first | {"steps": ["E."], "ground_truth_answers": ["IV"]},
        first | {"steps": ["F."], "ground_truth_answer": None},  # says nothing
        neutral_row("Open?", ["G."], ground_truth_answer="7"),  # stored without one
        neutral_row("New?", ["H."], ground_truth_answer="8"),
    ]
    job = import_bytes(project, lines(*rows), tmp_path)
    assert job.report["other_answers"] == {
        "problems": 3,
        "examples": [
            {"line": 1, "problem_id": "one", "kept": "4", "given": "5"},
            {"line": 3, "problem_id": "one", "kept": "4", "given": "IV"},
            {"line": 5, "problem_id": "", "kept": None, "given": "7"},
        ],
    }
    researcher = make_user("researcher")
    join(project, researcher, "researcher")
    assert Browser(researcher).get(f"/api/imports/{job.pk}").json()["report"]["other_answers"]["problems"] == 3
    assert "other_answers" not in import_bytes(project, lines(first), tmp_path).report


def test_a_list_of_right_answers_where_one_belongs_is_told_where_they_go(tmp_path: Path) -> None:
    row = neutral_row("Which?", ["A."]) | {"ground_truth_answer": ["4", "four"]}
    job = import_bytes(make_project(), lines(row), tmp_path)
    [fault] = job.report["faults"]["kinds"][0]["examples"]
    assert "`ground_truth_answers`" in fault["do"]
