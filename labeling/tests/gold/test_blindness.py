"""A labeler cannot tell gold from work: not by a payload, an id, a count, a status or a refusal."""

from typing import Any

import pytest

from labeling.actions import exports
from labeling.models import GoldResult, Label, Suggestion, Trace
from labeling.tests.factories import make_member, make_traces
from labeling.tests.gold.world import Labeler, plan_gold, project_with_gold, trace_of

pytestmark = pytest.mark.django_db


@pytest.fixture
def project_and_labels():
    """A labeler's open gold label and open work label, in two identical projects; `(labeler, label)` each."""
    found = {}
    for kind in ("work", "gold"):
        project, round_ = project_with_gold(2, traces=6, reveal_scores=True, after_error={"from_file": True})
        for trace in Trace.objects.filter(project=project, gold__isnull=kind == "work"):  # of all, it is a half
            Suggestion.objects.create(trace=trace, step_index=1, kind="explanation", number=1, text="The sum is off.")
        ada = Labeler(project, make_member(project))
        plan_gold(round_, ada.person, [1, 3] if kind == "gold" else [5, 6])
        ada.answer(ada.claim()["label"], right=True)
        label = ada.claim()["label"]
        assert Label.objects.get(pk=label["id"]).task.kind == kind
        found[kind] = (ada, label)
    return found


def test_every_answer_that_a_labeler_gets_has_the_same_shape_for_gold_as_for_work(project_and_labels):
    shapes = {kind: [shape(answer) for answer in _everything(*of)] for kind, of in project_and_labels.items()}
    assert len(shapes["gold"]) == len(shapes["work"]) > 12
    for gold, work in zip(shapes["gold"], shapes["work"], strict=True):
        assert gold == work


def test_nothing_that_a_labeler_is_sent_says_gold(project_and_labels):
    for answer in _everything(*project_and_labels["gold"]):
        said = str(answer).lower().replace("'gold_per_round': none", "")
        assert all(word not in said for word in ("gold'", "gold_", "'kind'", "acceptable", "passed")), said[:500]


def test_every_count_moves_by_one_with_each_submission_gold_or_not():
    project, round_ = project_with_gold(4, traces=8)
    ada = Labeler(project, make_member(project))
    plan_gold(round_, ada.person, [0, 3, 4, 9])
    moved = []
    for _ in range(12):
        before = _counts(ada)
        label = ada.claim()["label"]
        assert _counts(ada) == before, "a claim moves none"
        ada.answer(label, right=True)
        after = _counts(ada)
        moved.append({name: after[name] - before[name] for name in after})
    assert moved == [{"submitted": 1, "done": 1, "total": 0, "wanting": -1, "labels": 1}] * 12
    assert ada.claim()["empty"]["code"] == "all_done_for_you"


def test_what_is_left_does_not_count_the_gold_that_others_hold():
    project, round_ = project_with_gold(1, traces=2)
    ada, eve, bob = (Labeler(project, make_member(project)) for _ in range(3))
    for person, place in ((ada, 0), (eve, 5), (bob, 0)):
        plan_gold(round_, person.person, [place])
    assert Label.objects.get(pk=ada.claim()["label"]["id"]).task.kind == "gold"
    eve.claim()  # holds a task of work
    for _ in range(2):  # gold, and the other task of work
        bob.answer(bob.claim()["label"], right=True)
    empty = bob.claim()["empty"]
    assert (empty["code"], empty["tasks_left"]) == ("all_being_labeled", 1)
    assert GoldResult.objects.filter(labeler=bob.person).count() == 1


def test_a_problem_that_came_with_the_gold_is_not_known_by_its_id_or_source(project_and_labels):
    ada, label = project_and_labels["gold"]
    assert set(label["problem"]) == {"text", "answer", "accepted_answers", "subject", "level"}
    assert trace_of(label).gold.acceptable == [1]


@pytest.mark.parametrize("role", ["annotator", "researcher", "admin"])
def test_gold_and_labeler_quality_are_for_researchers_to_read_and_admins_to_change(role):
    project, _ = project_with_gold(1, traces=1)
    person = Labeler(project, make_member(project, role))
    read = 403 if role == "annotator" else 200
    for path in ("gold", "gold/counts", "labeler_quality", "members", "tasks", "overview"):
        person.call("GET", f"/api/projects/{project.slug}/{path}", status=read)
    shown = person.call("GET", f"/api/projects/{project.slug}")
    assert shown["gold_per_round"] == (None if role == "annotator" else 1)
    [trace] = make_traces(project)
    person.call("POST", f"/api/traces/{trace.pk}/gold", {"acceptable": [0]}, status=201 if role == "admin" else 404)


@pytest.mark.django_db(transaction=True)
def test_gold_never_reaches_an_export_of_training_rows_and_is_marked_in_prm800k():
    project, _ = project_with_gold(2, traces=2)
    ada = Labeler(project, make_member(project))
    while (label := ada.claim()["label"]) is not None:
        ada.answer(label, right=True)
    neutral = exports.run_export(exports.create_export(project, by=None, format="neutral", wake=False).pk)
    assert (neutral.labels_total, Label.objects.filter(status="submitted").count()) == (2, 4)
    prm800k = exports.run_export(exports.create_export(project, by=None, format="prm800k", wake=False).pk)
    rows = exports.file_path(prm800k).read_text()
    assert rows.count('"is_quality_control_question":true') == 2
    assert rows.count('"is_quality_control_question":false') == 2


def _everything(ada: Labeler, label: dict[str, Any]) -> list[Any]:
    """Return the answers of all of a labeler's addresses related to one label."""
    slug, own = ada.project.slug, f"/api/labels/{label['id']}"

    def ask(method: str, path: str, body: Any = None) -> Any:
        response = ada.page.send(method, path, body)  # type: ignore[attr-defined]  # a Browser
        return [response.status_code, response.json()]

    answers = [label, ask("GET", own), ask("POST", f"{own}/heartbeat"), ask("POST", f"{own}/reference")]
    answers += [ask("POST", f"{own}/suggestions", {"step": step}) for step in (0, 1, None)]
    answers.append(ask("PUT", f"{own}/draft", {"draft": {"ratings": [1]}, "base_revision": 0}))
    answers.append(ask("POST", f"/api/projects/{slug}/labels/claim", {"prefetch": False}))
    answers.append(ask("POST", f"{own}/release", {"reason": "Later."}))
    answers.append(ask("POST", f"{own}/resume"))
    answers.append(ada.submit(label, [1, -1, None]))
    answers.append(ask("GET", f"{own}/feedback"))
    answers.append(ask("POST", f"{own}/reveal"))
    answers.append(ask("POST", f"{own}/reopen"))
    answers.append(ada.submit(label, [1, 1, 1]))
    body = {"idempotency_key": "00000000-0000-4000-8000-000000000001", "finish_reason": "solution"}
    answers.append(ask("POST", f"{own}/revise", {**body, "ratings": [1, 1, 1]}))
    for path in ("my_labels", "my_stats", "my_quality", "guidelines"):
        answers.append(ask("GET", f"/api/projects/{slug}/{path}"))
    return [*answers, ask("GET", f"/api/projects/{slug}"), ask("GET", "/api/projects"), ask("GET", "/api/session")]


def shape(answer: Any) -> Any:
    """Return the answer with every value replaced by its type, except small whole numbers, our own words, and null."""
    if isinstance(answer, dict):
        return {
            name: "id" if name.endswith("id") or name == "supersedes" else shape(value)
            for name, value in answer.items()
        }
    if isinstance(answer, list):
        return [shape(value) for value in answer]
    if isinstance(answer, str):
        return answer if answer.islower() and " " not in answer and not any(c.isdigit() for c in answer) else "text"
    if isinstance(answer, int) and answer > 100:
        return answer if answer in range(200, 600) else "number"
    return answer


def _counts(ada: Labeler) -> dict[str, int]:
    stats = ada.call("GET", f"/api/projects/{ada.project.slug}/my_stats")
    counts = ada.call("GET", f"/api/projects/{ada.project.slug}")["counts"]
    return {
        "submitted": stats["submitted"],
        "done": stats["round"]["done"],
        "total": stats["round"]["total"],
        "wanting": counts["tasks_wanting"],
        "labels": counts["labels_submitted"],
    }
