"""Exports of neutral files, with the switches."""

from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest

from labeling.actions.exports import create_export
from labeling.configs import TraceFilter
from labeling.errors import InvalidFields
from labeling.models import Completion, Label, Problem
from labeling.tests.exports.labeled import exported, give_label, traces_of
from labeling.tests.factories import make_member, make_project, open_round
from labeling.tests.imports.files import import_bytes, lines, neutral_row, prm800k_row

pytestmark = pytest.mark.django_db(transaction=True)


def test_a_row_holds_the_trace_as_it_came_and_the_labels_ratings(tmp_path: Path) -> None:
    project = make_project()
    row = neutral_row(
        "2+2?",
        ["Add.", "It is 5.", "So 5."],
        source="ours",
        problem_id="p-1",
        ground_truth_answer="4",
        ground_truth_solution=None,
        generator="gpt",
        final_answer="5",
        final_answer_correct=False,
        first_error=2,
        step_labels=[1, 1, -1],
        subject="Algebra",
        orig_id="x7",
        nested={"a": [1, None]},
    )
    traces_of(project, tmp_path, row)
    label = give_label(project, [1, -1, None], total_ms=9000)
    (out,), _ = exported(project, "neutral")
    facts = out.pop("label")
    own = {"first_error": 1, "step_labels": [1, -1, None], "verdict": 1}
    nothing: dict[str, Any] = {"level": None, "licence": None, "split": "train", "ground_truth_answers": []}
    nothing["typed_steps"] = None
    own["step_sources"] = ["person", "person", None]
    assert out == {**row, **nothing, **own}, "unknown keys too; the label's own ratings"
    assert (facts["finish_reason"], facts["round"], facts["total_ms"]) == ("found_error", 1, 9000)
    assert facts["submitted_at"].startswith(label.submitted_at.isoformat()[:19])


def test_every_right_answer_of_a_problem_comes_in_and_goes_out(tmp_path: Path) -> None:
    project = make_project()
    several = {"ground_truth_answer": "4", "ground_truth_answers": ['a "quoted" one', "2^2", "\\frac{8}{2}"]}
    traces_of(project, tmp_path, neutral_row("2+2?", ["Add."], **several), neutral_row("3+3?", ["Add."]))
    assert Problem.objects.get(text="2+2?").accepted_answers == several["ground_truth_answers"]
    import_bytes(project, lines(neutral_row("2+2?", ["Other."], ground_truth_answers=["four"])), tmp_path)
    import_bytes(project, lines(neutral_row("2+2?", ["A third."])), tmp_path)
    ada = make_member(project)
    for _ in range(4):
        give_label(project, [1], ada)
    rows = {(row["problem"], row["steps"][0]): row for row in exported(project, "neutral")[0]}
    told = {steps: row["ground_truth_answers"] for (problem, steps), row in rows.items() if problem == "2+2?"}
    assert told == {
        "Add.": several["ground_truth_answers"],
        "Other.": ["four"],
        "A third.": several["ground_truth_answers"],
    }
    assert [row for row in rows.values() if row["problem"] == "3+3?" and row["ground_truth_answers"]] == []


def test_what_a_labeler_wrote_beside_the_ratings_goes_along(tmp_path: Path) -> None:
    project = make_project()
    traces_of(project, tmp_path, neutral_row("2+2?", ["Add.", "It is 5."]), neutral_row("3+3?", ["Add.", "It is 6."]))
    comments = [{"step": 1, "text": "Two and two\nare four."}, {"step": 0, "text": "Fine."}]
    reports = [
        {"kind": "split_badly", "step": 0, "text": "Two thoughts."},
        {"kind": "answer_wrong", "step": None, "text": ""},
    ]
    calculations = [{"input": "1/3 + 1/6", "result": "1/2"}]
    give_label(project, [1, -1], comments=comments, reports=reports, calculations=calculations)
    give_label(project, [1, -1])
    (first, second), _ = exported(project, "neutral")
    assert first["label"]["comments"] == comments
    assert first["label"]["reports"] == reports
    assert (first["label"]["calculations"], second["label"]["calculations"]) == (calculations, [])
    assert second["label"]["comments"] == second["label"]["reports"] == [], "every row has every key"


def test_a_problem_told_differently_comes_back_as_its_row_told_it(tmp_path: Path) -> None:
    project = make_project()
    rows = [neutral_row("Why?", ["a"], problem_id="1"), neutral_row(" Why? ", ["b"], problem_id="2")]
    traces_of(project, tmp_path, *rows)
    ada = make_member(project)
    give_label(project, [1], ada)
    give_label(project, [1], ada)
    found = {row["problem_id"]: row["problem"] for row in exported(project, "neutral")[0]}
    assert found == {"1": "Why?", "2": " Why? "}


SWITCHED = [
    ({}, [1, 0, -1, None], ["a", "b", "c", "d"], 2),
    ({"neutral": "positive"}, [1, 1, -1, None], ["a", "b", "c", "d"], 2),
    ({"neutral": "negative"}, [1, -1, -1, None], ["a", "b", "c", "d"], 1),
    ({"neutral": "drop"}, [1, None, -1, None], ["a", "b", "c", "d"], 2),
    ({"after_error": "truncate"}, [1, 0, -1], ["a", "b", "c"], 2),
    ({"after_error": "fill_negative"}, [1, 0, -1, -1], ["a", "b", "c", "d"], 2),
    ({"neutral": "negative", "after_error": "truncate"}, [1, -1], ["a", "b"], 1),
]


def test_switches_shape_the_ratings_and_are_recorded(tmp_path: Path) -> None:
    project = make_project()
    traces_of(project, tmp_path, neutral_row(steps=list("abcd")))
    give_label(project, [1, 0, -1, None])
    for switches, ratings, steps, first_error in SWITCHED:
        (out,), export = exported(project, "neutral", switches=switches)
        assert (out["step_labels"], out["steps"], out["first_error"]) == (ratings, steps, first_error), switches
        assert out["verdict"] == 2, "what the labeler said, whatever the switches make of it"
        assert switches.items() <= export.manifest["switches"].items()
        assert len(export.manifest["switches"]) == 11, "what was not asked for is recorded too"


@pytest.mark.parametrize("choice", ["truncate", "fill_negative"])
def test_without_a_first_error_no_step_is_cut_off_or_filled_in(tmp_path: Path, choice: str) -> None:
    project = make_project()
    traces_of(project, tmp_path, neutral_row("2+2?", list("abcd")), neutral_row("3+3?", list("abcd")))
    confirmed = [{"code": "solution_with_error", "step": 1, "reason": "Put right in the last step."}]
    give_label(project, [1, -1, None, None], finish_reason="solution", confirmations=confirmed)
    bad = {"kind": "vague", "text": "Which x?"}
    give_label(project, [-1, None, None, None], finish_reason="bad_problem", finish_detail=bad)
    rows, _ = exported(project, "neutral", switches={"after_error": choice})
    assert [(row["first_error"], row["step_labels"]) for row in rows] == [
        (-1, [1, -1, None, None]),
        (None, [-1, None, None, None]),
    ]


def test_alternatives_become_rows_that_end_in_them(tmp_path: Path) -> None:
    project = make_project()
    (trace,) = traces_of(project, tmp_path, neutral_row(steps=["a", "b"]))
    good, bad = (Completion.objects.create(trace=trace, step_index=1, text=text) for text in ("good", "bad"))
    rated = [
        {"completion": good.pk, "rating": 1, "flagged": False},
        {"completion": bad.pk, "rating": -1, "flagged": True},
    ]
    give_label(project, [1, -1], alternatives=rated)
    rows, export = exported(project, "neutral", switches={"alternatives": "rows"})
    found = [(row["steps"], row["step_labels"], row["first_error"]) for row in rows]
    assert found == [(["a", "b"], [1, -1], 1), (["a", "good"], [1, 1], None), (["a", "bad"], [1, -1], 1)]
    assert (export.rows, export.labels_total) == (3, 1)
    assert len(exported(project, "neutral")[0]) == 1


BESIDE_THE_RATINGS = [
    ("found_error", {}, 1),
    ("solution", {"confirmations": [{"code": "solution_with_error", "reason": "A slip."}]}, -1),
    ("bad_problem", {"finish_detail": {"kind": "vague", "text": "Which one?"}}, None),
    ("give_up", {"finish_detail": {"text": "Too long."}}, None),
]


@pytest.mark.parametrize(("reason", "fields", "verdict"), BESIDE_THE_RATINGS)
def test_a_row_has_the_ratings_as_typed_and_the_verdict_as_it_counts(
    tmp_path: Path, reason: str, fields: dict[str, Any], verdict: int | None
) -> None:
    project = make_project()
    traces_of(project, tmp_path, neutral_row(steps=list("abc"), verdict="of another label, from an earlier export"))
    give_label(project, [1, -1, None], finish_reason=reason, **fields)
    (out,), _ = exported(project, "neutral")
    assert out["step_labels"] == [1, -1, None]
    assert (out["verdict"], out["first_error"]) == (verdict, verdict)


def test_human_steps_count_as_right_or_not_at_all(tmp_path: Path) -> None:
    project = make_project()
    row = prm800k_row()
    del row["question"]["pre_generated_steps"]
    human = {"text": "By hand.", "rating": None, "source": "human", "flagged": False}
    row["label"] |= {"finish_reason": "solution"}
    row["label"]["steps"][1] |= {"human_completion": human}
    import_bytes(project, lines(row), tmp_path)
    assert exported(project, "neutral")[0][0]["step_labels"] == [1, 1]
    excluded = exported(project, "neutral", switches={"human_steps": "exclude"})[0][0]
    assert (excluded["step_labels"], excluded["first_error"]) == ([1, None], -1), "the label's own verdict stands"


def test_filters_choose_rounds_reasons_splits_gold_people_and_days(tmp_path: Path) -> None:
    project = make_project()
    import_bytes(project, lines(prm800k_row("Q", is_quality_control_question=True), prm800k_row("R")), tmp_path)
    traces_of(project, tmp_path, neutral_row("S", ["a"]))
    Problem.objects.filter(project=project, text="S").update(split="held_out")
    imported = project.rounds.get(imported=True)

    def problems(**options: object) -> set[str]:
        return {row["problem"] for row in exported(project, "neutral", **options)[0]}

    assert problems() == {"R"}, "gold is left out of training rows unless asked for"
    assert problems(switches={"gold": "include"}) == {"Q", "R"}
    with pytest.raises(InvalidFields) as refused:
        problems(filters={"rounds": [imported.pk, imported.pk + 1]})
    assert refused.value.extra["fields"] == {"filters": [f"The project has no round with the id {imported.pk + 1}."]}
    assert problems(filters={"rounds": [imported.pk]}) == {"R"}
    assert problems(filters={"finish": ["solution"]}) == set()
    assert problems(filters={"finish": ["found_error"], "split": "train"}) == {"R"}
    assert problems(filters={"split": "held_out"}) == set()
    open_round(project, source="filter", filter=TraceFilter(split="held_out"))
    given = give_label(project, [1], ada := make_member(project))
    assert problems(filters={"split": "held_out"}) == {"S"}
    assert problems(filters={"finish": ["solution", "found_error"]}) == {"R", "S"}
    nobody = make_member(project).pk
    with pytest.raises(InvalidFields) as refused:
        problems(filters={"labelers": [ada.pk, nobody]})
    assert refused.value.extra["fields"] == {"filters": [f"The project has no label of anybody with the id {nobody}."]}
    rows, export = exported(project, "neutral", filters={"labelers": [ada.pk]})
    assert [row["problem"] for row in rows] == ["S"]
    assert export.manifest["filters"] == {"labelers": [rows[0]["label"]["labeler"]]}, "as the rows name people"
    assert given.submitted_at is not None
    moment, day_before = given.submitted_at.isoformat(), given.submitted_at - timedelta(days=1)
    Label.objects.exclude(pk=given.pk).update(submitted_at=day_before)
    assert problems(filters={"since": moment}) == {"S"}
    assert problems(filters={"until": moment}) == {"R"}
    with pytest.raises(InvalidFields):
        problems(filters={"since": moment, "until": moment})


def test_switches_that_mean_nothing_are_refused_with_their_name() -> None:
    project = make_project()
    for format, switches, name in (
        ("neutral", {"neutral": "maybe"}, "neutral"),
        ("neutral", {"colour": "red"}, "colour"),
        ("prm800k", {"after_error": "truncate"}, "after_error"),
        ("neutral", {"aggregate": "majority"}, "aggregate"),
    ):
        with pytest.raises(InvalidFields) as refused:
            create_export(project, by=None, format=format, switches=switches)
        assert list(refused.value.extra["fields"]) == [name]
    assert create_export(project, by=None, format="prm800k", switches={"neutral": "keep3"}).status == "queued"
