"""A prover's verdicts imported as marks of a formal source, with its messages, for traces that already exist."""

from pathlib import Path
from typing import Any

import pytest

from labeling.models import Label, Score, StepScorer, Trace
from labeling.tests.accounts import Browser
from labeling.tests.factories import make_member, make_project
from labeling.tests.imports.files import faults_of, import_bytes, lines

pytestmark = pytest.mark.django_db(transaction=True)

TRACE = {"problem": "What is 2+3?", "steps": ["2+3 = 5.", "5+1 = 7.", "So 7."], "first_error": 1}
SAID: dict[str, Any] = {
    **{key: TRACE[key] for key in ("problem", "steps")},
    "prover": "Lean 4.9",
    "verdicts": ["proved", "refuted", None],
    "messages": [None, "linarith failed: 5 + 1 = 7", ""],
}


def test_a_provers_verdicts_and_messages_stand_beside_a_trace_that_is_here_and_are_held_against_people(
    tmp_path: Path,
) -> None:
    project = make_project()
    import_bytes(project, lines(TRACE), tmp_path)
    job = import_bytes(project, lines(SAID), tmp_path)
    assert (job.format, job.report["faults"]["kinds"]) == ("formal_verdicts", [])
    trace = Trace.objects.get(project=project)
    assert trace.recorded_first_error == 1  # unchanged
    source = StepScorer.objects.get(project=project)
    assert (source.kind, source.name, source.is_run_here) == ("formal", "Lean 4.9", False)
    score = Score.objects.get(trace=trace)
    assert score.steps == [1.0, 0.0, None]
    assert score.evidence is not None
    assert score.evidence["first_error"] == 1
    assert not Label.objects.filter(project=project).exists()
    researcher = Browser(make_member(project, "researcher"))
    [mark] = researcher.call("GET", f"/api/traces/{trace.pk}/machine_marks")["results"]
    assert (mark["source"]["kind"], mark["first_error"]) == ("formal", 1)
    assert mark["words"] == [[], ["linarith failed: 5 + 1 = 7"], []]
    assert mark["evidence"]["prover"] == "Lean 4.9"
    page = f"/api/projects/{project.slug}/sources/{source.pk}/calibration?truth=recorded"
    found = researcher.call("GET", page)
    accuracy = next(one for one in found["figures"] if one["name"] == "first_error_accuracy")
    assert (accuracy["value"], accuracy["n"]) == (1.0, 1)


@pytest.mark.parametrize(
    ("verdicts", "first", "why"),
    [
        ([True, True, True], -1, ""),
        ([True, None, False], None, "not_decided"),
        (["timeout", "sat", "unsat"], None, "not_decided"),
        ([False, None, None], 0, ""),
    ],
)
def test_what_was_not_decided_before_a_refuted_step_names_no_first_error(
    verdicts: list[Any], first: int | None, why: str, tmp_path: Path
) -> None:
    project = make_project()
    import_bytes(project, lines({**SAID, "verdicts": verdicts}), tmp_path, marks_of="Z3")
    score = Score.objects.select_related("scorer").get(trace__project=project)
    assert (score.scorer.name, score.scorer.kind) == ("Z3", "formal")
    assert score.evidence is not None
    assert (score.evidence["first_error"], score.evidence["why"]) == (first, why)


def test_faults_name_their_place_and_the_name_of_another_kind_is_refused(tmp_path: Path) -> None:
    rows = [
        {**SAID, "verdicts": ["proved", "maybe", None]},
        {**SAID, "messages": ["one"]},
        {**SAID, "messages": "fine"},
        {**SAID, "prover": " "},
        {**SAID, "verdicts": ["proved"]},
    ]
    assert faults_of(import_bytes(make_project(), lines(*rows), tmp_path)) == [
        ("bad_mark", 1, "verdicts[1]"),
        ("messages_do_not_match_steps", 2, "messages"),
        ("wrong_type", 3, "messages"),
        ("no_prover", 4, "prover"),
        ("marks_do_not_match_steps", 5, "verdicts"),
    ]
    project = make_project()
    StepScorer.objects.create(project=project, name="Lean 4.9", kind="judge", fingerprint="x", status="ready", spec={})
    assert faults_of(import_bytes(project, lines(SAID), tmp_path)) == [("name_taken", 1, "")]


def test_no_odd_row_is_half_imported_and_where_rows_differ_the_first_word_stays_and_the_rest_is_counted(
    tmp_path: Path,
) -> None:
    project = make_project()
    import_bytes(make_project(), lines(TRACE), tmp_path)
    import_bytes(project, lines(TRACE), tmp_path)
    odd = [
        {**SAID, "messages": ["a\x00b", None, None]},
        {**SAID, "messages": ["half a pair: \ud800", None, None]},
        {**SAID, "prover": "Le\x00an"},
        {**SAID, "verdicts": [["proved"], {}, None]},
        {**SAID, "verdicts": [2, 0.5, 10**400]},
        {**SAID, "verdicts": ["proved"] * 4},
    ]
    assert [place[:2] for place in faults_of(import_bytes(project, lines(SAID, *odd), tmp_path))] == [
        ("nul_character", 2),
        ("lone_surrogate", 3),
        ("nul_character", 4),
        ("bad_mark", 5),
        ("bad_mark", 5),
        ("number_too_large", 6),
        ("marks_do_not_match_steps", 7),
    ]
    assert not Score.objects.exists()
    other = {**SAID, "verdicts": ["refuted", None, None]}
    foreign = {"id": 1, "trace": 1, "problem_id": "else", "first_error": 0, "step_labels": [1, 1, 1], "labeler": "me"}
    long = {**SAID, "messages": ["m" * 1_000_000 + "\U0001f600", None, None], **foreign}
    job = import_bytes(project, lines(long, SAID, other, other), tmp_path)
    assert job.report["marks"] == [{**job.report["marks"][0], "new": 1, "known": 0, "differing": 2}]
    [score] = Score.objects.all()
    assert (score.trace.project_id, score.steps) == (project.pk, [1.0, 0.0, None])
    assert score.evidence is not None
    assert len(score.evidence["words"][0][0]) == 2_000
    assert list(Trace.objects.values_list("recorded_first_error", flat=True)) == [1, 1]
    assert not Label.objects.exists()
    job = import_bytes(project, lines(other), tmp_path)
    assert [(one["new"], one["known"], one["differing"]) for one in job.report["marks"]] == [(0, 1, 1)]


def test_each_prover_that_rows_name_becomes_a_source_of_its_own_and_none_is_mixed_with_another(tmp_path: Path) -> None:
    project = make_project()
    solved = {**SAID, "prover": "Z3 4.13", "verdicts": ["unsat", "unsat", "unsat"]}
    job = import_bytes(project, lines(SAID, solved), tmp_path)
    assert [(one["source"], one["new"], one["differing"]) for one in job.report["marks"]] == [
        ("Lean 4.9", 1, 0),
        ("Z3 4.13", 1, 0),
    ]
    kept = Score.objects.order_by("scorer__name").values_list("scorer__name", "scorer__kind", "steps")
    assert list(kept) == [("Lean 4.9", "formal", [1.0, 0.0, None]), ("Z3 4.13", "formal", [1.0, 1.0, 1.0])]
    researcher = Browser(make_member(project, "researcher"))
    marks = researcher.call("GET", f"/api/traces/{Trace.objects.get().pk}/machine_marks")["results"]
    assert {(one["source"]["name"], one["first_error"]) for one in marks} == {("Lean 4.9", 1), ("Z3 4.13", -1)}
    refused = import_bytes(project, lines(SAID, solved), tmp_path, marks_of="Ours")
    assert faults_of(refused) == [("several_provers", 1, "prover")]
    import_bytes(project, lines(SAID), tmp_path, marks_of="Ours")
    assert faults_of(import_bytes(project, lines(solved), tmp_path, marks_of="Ours")) == [
        ("another_prover", 1, "prover")
    ]
    assert Score.objects.get(scorer__name="Ours").steps == [1.0, 0.0, None]
    odd = [{**SAID, "prover": f"run {number}"} for number in range(21)]
    assert faults_of(import_bytes(project, lines(*odd), tmp_path)) == [("too_many_provers", 1, "prover")]
    assert StepScorer.objects.filter(project=project).count() == 3
