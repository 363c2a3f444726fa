"""A source is compared with a random sample labeled by people; only then can its marks be accepted, as separate
rows.
"""

from types import SimpleNamespace
from typing import Any

import pytest

from labeling.actions.labels import claim_next_label, revise_label, submit_label
from labeling.actions.rounds import close_round
from labeling.configs import ConsensusConfig
from labeling.grading import GRADER_VERSION
from labeling.models import AcceptedMark, Label, Project, Round, Score, StepScorer, Task, Trace
from labeling.tests.accounts import Browser
from labeling.tests.factories import make_member, make_project, make_submission, make_traces
from labeling.tests.sources.world import make, rollouts

pytestmark = pytest.mark.django_db


def make_marks(project: Project, count: int, *, error: int | None = None) -> tuple[StepScorer, list[Trace]]:
    """A judge, and traces of three steps in which it sees the first error at step 1 (of every other, or `error`)."""
    judge = StepScorer.objects.create(
        project=project, name="judge", kind="judge", fingerprint="one", scale="hard", status="ready", spec={}
    )
    traces = make_traces(project, count)
    for place, trace in enumerate(traces):
        give_mark(judge, trace, error if error is not None else (1 if place % 2 else -1))
    return judge, traces


def give_mark(judge: StepScorer, trace: Trace, first_error: int) -> None:
    about = {
        "project_id": trace.project_id,
        "problem_id": trace.problem_id,
        "evidence": {"first_error": first_error},
        "draw": 0,
    }
    Score.objects.create(scorer=judge, trace=trace, steps=[None, None, None], **about)


def verdict_of(judge: StepScorer, trace: int) -> int:
    evidence = Score.objects.get(scorer=judge, trace=trace).evidence
    assert evidence is not None
    return int(evidence["first_error"])


def label_all(project: Project, judge: StepScorer, *, against: int = 0) -> None:
    """Label the queue as the judge does, except for this many traces where people find an error at step 0."""
    labeler = make_member(project)
    while (label := claim_next_label(labeler, project).label) is not None:
        against, first = against - 1, 0 if against > 0 else verdict_of(judge, label.task.trace_id)
        submit_label(label, make_submission([1, 1, 1] if first < 0 else [1] * first + [-1] + [None] * (2 - first)))


def audit(
    browser: Browser, project: Project, judge: StepScorer, size: int = 30, bar: float | None = 0.8, **asked: object
) -> Round:
    body = {"source": "audit", "sample_size": size, "by_machine": {"scorer": judge.pk, "bar": bar}, **asked}
    made = browser.call("POST", f"/api/projects/{project.slug}/rounds", body, status=201)
    return Round.objects.get(pk=made["id"])


def test_marks_are_accepted_once_the_whole_sample_clears_the_bar_and_are_withdrawn_whole():
    project = make_project()
    judge, _traces = make_marks(project, 50)
    browser = Browser(make_member(project, "admin"))
    accept, page = f"/api/projects/{project.slug}/acceptances", f"/api/projects/{project.slug}/sources/{judge.pk}"

    def refusal() -> str:
        return browser.call("POST", accept, {"source": judge.pk}, status=409)["detail"]

    assert "No random sample" in refusal()
    drawn = audit(browser, project, judge)
    assert "is not closed" in refusal()
    label_all(project, judge, against=1)
    close_round(drawn, by=None)
    told = browser.call("GET", f"{page}/calibration")
    assert told["truth"] == "audit"
    assert [(one["drawn"], one["labeled"], one["pool"], one["bar"]) for one in told["audit"]["rounds"]] == [
        (30, 30, 50, 0.8)
    ]
    assert told["audit"]["agreement"]["value"] == pytest.approx(29 / 30)
    assert (told["audit"]["again"], told["audit"]["refusal"]) == ([], "")
    labels = Label.objects.count()
    made = browser.call("POST", accept, {"source": judge.pk}, status=201)
    assert (made["traces"], made["bar"], made["audit"], made["source"]["kind"]) == (20, 0.8, drawn.pk, "judge")
    assert made["sample"]["low"] >= 0.8
    assert Label.objects.count() == labels  # none of them is a label of people
    rows = browser.call("GET", f"/api/acceptances/{made['id']}/marks")["results"]
    assert {row["trace"] for row in rows}.isdisjoint(Task.objects.values_list("trace", flat=True))
    assert {row["verdict"] for row in rows} == {-1, 1}
    assert {(row["source"]["kind"], row["source"]["bar"]) for row in rows} == {("judge", 0.8)}
    assert {tuple(row["labels"]) for row in rows} == {(1.0, 1.0, 1.0), (1.0, 0.0, None)}
    StepScorer.objects.update(kind="verifier")  # which judges each step alone, and here only the second
    rows = browser.call("GET", f"/api/acceptances/{made['id']}/marks")["results"]
    assert (None, 0.0, None) in {tuple(row["labels"]) for row in rows}
    StepScorer.objects.update(kind="judge")
    assert "No fitting trace" in refusal()
    gone = browser.call("POST", f"/api/acceptances/{made['id']}/withdraw")
    assert gone["withdrawn_at"]
    assert not AcceptedMark.objects.exists()
    browser.call("POST", f"/api/acceptances/{made['id']}/withdraw", status=409)
    StepScorer.objects.update(fingerprint="two")  # another prompt
    assert "changed since the sample" in refusal()


@pytest.mark.parametrize(("against", "bar", "why"), [(6, 0.8, "lower end"), (0, None, "No bar was set")])
def test_a_sample_that_does_not_clear_its_bar_and_one_without_a_bar_let_nothing_be_accepted(against, bar, why):
    project = make_project()
    judge, _ = make_marks(project, 40)
    browser = Browser(make_member(project, "admin"))
    drawn = audit(browser, project, judge, bar=bar)
    label_all(project, judge, against=against)
    close_round(drawn, by=None)
    refused = browser.call("POST", f"/api/projects/{project.slug}/acceptances", {"source": judge.pk}, status=409)
    assert why in refused["detail"]
    assert not AcceptedMark.objects.exists()


def test_a_sample_speaks_for_what_it_was_drawn_from_alone():
    project = make_project()
    judge, traces = make_marks(project, 60)
    Trace.objects.filter(pk__in=[trace.pk for trace in traces[:40]]).update(outcome="correct")
    browser = Browser(make_member(project, "admin"))
    drawn = audit(browser, project, judge, filter={"outcome": "correct", "unlabeled_only": True})
    label_all(project, judge)
    close_round(drawn, by=None)
    state = browser.call("GET", f"/api/projects/{project.slug}/sources/{judge.pk}/calibration")["audit"]
    assert (state["refusal"], state["acceptable"]) == ("", 10)
    made = browser.call("POST", f"/api/projects/{project.slug}/acceptances", {"source": judge.pk}, status=201)
    assert made["traces"] == 10
    taken = AcceptedMark.objects.values_list("trace", flat=True)
    assert set(taken) <= {trace.pk for trace in traces[:40]}


def test_nothing_is_accepted_in_a_project_that_is_archived():
    project = make_project()
    judge, _ = make_marks(project, 32)
    browser = Browser(make_member(project, "admin"))
    drawn = audit(browser, project, judge)
    label_all(project, judge)
    close_round(drawn, by=None)
    accept = f"/api/projects/{project.slug}/acceptances"
    browser.call("PATCH", f"/api/projects/{project.slug}", {"status": "archived"})
    assert browser.call("POST", accept, {"source": judge.pk}, status=409)["code"] == "project_archived"
    assert not AcceptedMark.objects.exists()
    browser.call("PATCH", f"/api/projects/{project.slug}", {"status": "active"})
    assert browser.call("POST", accept, {"source": judge.pk}, status=201)["traces"] == 2


def test_giving_up_on_a_trace_of_the_sample_does_not_raise_the_agreement():
    project = make_project()
    judge, _ = make_marks(project, 40)
    browser = Browser(make_member(project, "admin"))
    drawn = audit(browser, project, judge)
    labeler = make_member(project)
    for _ in range(6):
        label = claim_next_label(labeler, project).label
        assert label
        submit_label(
            label, make_submission([None, None, None], finish_reason="give_up", finish_detail={"text": "Too hard."})
        )
    label_all(project, judge)
    close_round(drawn, by=None)
    state = browser.call("GET", f"/api/projects/{project.slug}/sources/{judge.pk}/calibration")["audit"]
    assert (state["agreement"]["n"], state["agreement"]["value"]) == (30, pytest.approx(24 / 30))
    assert "lower end" in state["refusal"]


def test_a_round_of_disagreements_takes_the_gravest_first_and_a_control_that_knows_nothing():
    project = make_project()
    judge, traces = make_marks(project, 20, error=-1)
    other = StepScorer.objects.create(
        project=project, name="other", kind="judge", fingerprint="o", status="ready", spec={}
    )
    for place, trace in enumerate(traces):
        give_mark(other, trace, 2 if place < 5 else -1)
    browser = Browser(make_member(project, "researcher"))
    by = {"scorer": judge.pk, "other": other.pk, "control_share": 0.25}
    body = {"source": "disagreement", "sample_size": 8, "by_machine": by}
    address = f"/api/projects/{project.slug}/rounds"
    previewed = browser.call("POST", f"{address}/preview", body)
    made = browser.call("POST", address, body, status=201)
    tasks = Task.objects.filter(round=made["id"])
    arms = {reason: set(tasks.filter(reason=reason).values_list("trace", flat=True)) for reason in
            ("control", "disagreement")}  # fmt: skip
    assert len(arms["control"]) == 2
    assert arms["disagreement"] == {trace.pk for trace in traces[:5]} - arms["control"]
    assert previewed["traces"] == tasks.count()
    itself = {**body, "by_machine": {**by, "other": judge.pk}}
    assert "agrees with itself" in str(browser.call("POST", address, itself, status=400))


def test_blind_first_shows_the_mark_after_the_label_and_counts_what_is_changed():
    project = make_project()
    judge, [trace] = make_marks(project, 1, error=1)
    researcher, labeler = Browser(make_member(project, "researcher")), make_member(project)
    body = {"source": "all", "machine": {"source": judge.pk, "when": "after"}}
    opened = researcher.call("POST", f"/api/projects/{project.slug}/rounds", body, status=201)
    label = claim_next_label(labeler, project).label
    page = Browser(labeler)
    assert page.call("GET", f"/api/labels/{label.pk}")["machine"] == "after"
    page.call("POST", f"/api/labels/{label.pk}/reveal", status=403)
    submit_label(label, make_submission([1, 1, 1]))
    [mark] = page.call("POST", f"/api/labels/{label.pk}/reveal")["marks"]
    assert mark["first_error"] == 1
    label.refresh_from_db()
    assert label.before_reveal["verdict"] == -1
    revise_label(label, make_submission([1, -1, None]))
    told = researcher.call("GET", f"/api/rounds/{opened['id']}/machine")
    figures = {figure["name"]: figure for figure in told["figures"]}
    assert (told["seen"], figures["changed"]["value"], figures["changed_to_the_machine"]["value"]) == (1, 1.0, 1.0)
    assert "no ruling" in figures["right_after"]["why"]


def calibration(browser: Browser, source: int) -> dict[str, Any]:
    slug = StepScorer.objects.get(pk=source).project.slug
    told: dict[str, Any] = browser.call("GET", f"/api/projects/{slug}/sources/{source}/calibration")["audit"]
    return told


def test_a_sample_drawn_under_another_graders_version_is_drawn_again_before_anything_is_accepted():
    project = make_project()
    source = rollouts(project)
    for trace in make_traces(project, 40):
        give_mark(source, trace, -1)
    browser = Browser(make_member(project, "admin"))
    drawn = audit(browser, project, source)
    label_all(project, source)
    close_round(drawn, by=None)
    state = calibration(browser, source.pk)
    assert (state["again"], state["refusal"], state["acceptable"]) == ([], "", 10)
    config = Round.objects.get(pk=drawn.pk).config
    assert config["by_machine"]["grader"] == GRADER_VERSION
    config["by_machine"]["grader"] = "1+math-verify-0.8.0"  # what a round has that was opened before an upgrade
    Round.objects.filter(pk=drawn.pk).update(config=config)
    state = calibration(browser, source.pk)
    said = "Rollouts were graded by 1+math-verify-0.8.0 when the sample was drawn; "
    said += f"now they are graded by {GRADER_VERSION}."
    assert (state["again"], state["acceptable"]) == ([said], None)
    asked = {"source": source.pk}
    refused = browser.call("POST", f"/api/projects/{project.slug}/acceptances", asked, status=409)
    assert refused["detail"] == f"{said} Draw a new sample first."
    audit(browser, project, source, size=10)
    state = calibration(browser, source.pk)
    assert state["again"] == []
    assert "is not closed" in state["refusal"]


@pytest.mark.parametrize("change", [{"prompt": "Look: {problem} {solution}"}, {"model": "q8"}, {"temperature": 0.1}])
def test_another_prompt_model_or_setting_is_another_source_for_which_no_sample_was_drawn(change, settings):
    settings.GENERATORS = {"qwen": SimpleNamespace(models=("q7", "q8"))}
    project = make_project()
    browser = Browser(make_member(project, "admin"))
    asked = {"generator": "qwen", "model": "q7", "prompt": "processbench/1"}

    def judging(name, **changes):
        body = {"name": name, "kind": "judge", "judge": {"judge": {**asked, **changes}}}
        made = browser.call("POST", f"/api/projects/{project.slug}/sources", body, status=201)
        return StepScorer.objects.get(pk=made["id"])

    first, changed = judging("first"), judging("changed", **change)
    for trace in make_traces(project, 40):
        give_mark(first, trace, -1)
        give_mark(changed, trace, -1)
    drawn = audit(browser, project, first)
    label_all(project, first)
    close_round(drawn, by=None)
    assert calibration(browser, first.pk)["again"] == []
    [why] = calibration(browser, changed.pk)["again"]
    assert "No random sample was drawn for this source" in why
    refused = browser.call("POST", f"/api/projects/{project.slug}/acceptances", {"source": changed.pk}, status=409)
    assert refused["detail"] == f"{why} Draw a new sample first."


def test_a_prm_whose_weights_changed_under_its_name_asks_for_a_new_sample_and_so_does_growth_by_a_quarter():
    project = make_project()
    judge, _ = make_marks(project, 40)
    browser = Browser(make_member(project, "admin"))
    drawn = audit(browser, project, judge)
    label_all(project, judge)
    close_round(drawn, by=None)
    for trace in make_traces(project, 10):
        give_mark(judge, trace, -1)
    assert calibration(browser, judge.pk)["again"] == []
    give_mark(judge, make_traces(project, 1)[0], -1)
    [grown] = calibration(browser, judge.pk)["again"]
    assert grown == "The sample was drawn from 40 marked traces. Now there are 51, and new ones may differ."
    StepScorer.objects.filter(pk=judge.pk).update(fingerprint="two")
    changed, _ = calibration(browser, judge.pk)["again"]
    assert changed == "Its model, prompt or settings have changed since the sample was drawn."


def test_a_rule_over_rollouts_asks_for_a_new_sample_after_a_change_of_the_grader_and_one_over_judges_does_not():
    project = make_project()
    traces = make_traces(project, 30)
    browser = Browser(make_member(project, "admin"))
    judges, _ = make_marks(project, 1)
    other = StepScorer.objects.create(project=project, name="other", kind="judge", fingerprint="o", spec={})
    for name, of, asks in (
        ("with", (rollouts(project).pk, judges.pk), True),
        ("without", (judges.pk, other.pk), False),
    ):
        rule = make(project, name, ConsensusConfig(of))
        for trace in traces:
            give_mark(rule, trace, -1)
        drawn = audit(browser, project, rule, size=10)
        drawn.config["by_machine"]["grader"] = "1+math-verify-0.8.0"
        drawn.save()
        again = calibration(browser, rule.pk)["again"]
        assert [why.startswith("Rollouts were graded by 1+") for why in again] == [True] * asks
