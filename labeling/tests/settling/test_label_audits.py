"""Label audit: which labels are chosen, who reviews them blind, and what a correction changes."""

import json
import math
from array import array
from random import Random

import pytest

from labeling.actions import label_audits, labels, rounds
from labeling.actions.gold import make_gold
from labeling.actions.problem_withdrawals import mark_bad_problem
from labeling.actions.step_scorers import check_prm
from labeling.errors import LabelAuditNotInStatus, NothingSelected, PrmGivesNoProbabilities
from labeling.models import AuditEvent, Label, LabelAudit, LabelAuditItem, Score, StepLabel, Task, Trace, TrainingRun
from labeling.quality.surprisal import chance_of, surprisal_of
from labeling.queries.exports import packed_ids
from labeling.queries.label_audits import choose_labels, count_labels
from labeling.statistics.intervals import wilson
from labeling.tests.accounts import Browser
from labeling.tests.factories import make_member, make_project, make_submission
from labeling.tests.selection.pools import make_prm
from labeling.tests.settling.disagreeing import RIGHT, WRONG_AT_1, WRONG_AT_2, say
from labeling.tests.settling.label_audits import SURE, labeled, made, reviewed, score

pytestmark = pytest.mark.django_db


def chosen(project, prm, *, model=1, control=1, seed=1):
    """Return the chosen labels by arm."""
    found = choose_labels(project, prm, round_id=None, model=model, control=control, seed=seed)
    return {arm: {one.label_id for one in found if one.arm == arm} for arm in ("model", "control")}


def test_the_model_arm_is_the_most_surprising_of_what_the_control_left_and_the_seed_keeps_both():
    project, _, prm, found = labeled(*[RIGHT] * 12)
    for place, label in enumerate(found):
        score(prm, label, [0.9, 0.9 - place / 20, 0.9])
    arms = chosen(project, prm, model=3, control=4)
    ranked = [label.pk for label in reversed(found) if label.pk not in arms["control"]]
    assert arms["model"] == set(ranked[:3])
    assert len(arms["control"]) == 4
    assert chosen(project, prm, model=3, control=4) == arms
    others = [chosen(project, prm, model=3, control=4, seed=seed)["control"] for seed in range(2, 8)]
    assert any(other != arms["control"] for other in others)
    orders = [
        [one.arm for one in choose_labels(project, prm, round_id=None, model=6, control=6, seed=seed)]
        for seed in range(5)
    ]
    assert any(order != sorted(order) and order != sorted(order, reverse=True) for order in orders)


@pytest.mark.parametrize("neutral", ["positive", "negative"])
def test_the_query_gives_the_surprise_that_the_plain_function_gives(neutral):
    chance = Random(3)
    prm = make_prm(spec={"family": "math_shepherd", "neutral": neutral})
    said = [[chance.choice([0, 1]), chance.choice([0, 1, -1]), None] for _ in range(20)]
    said = [[*ratings[:2], None if ratings[1] == -1 else 1] for ratings in said]
    project, _, prm, found = labeled(*said, prm=prm)
    probabilities = {}
    for label in found:
        probabilities[label.pk] = [chance.choice([0.0, 1.0, chance.random()]) for _ in range(3)]
        score(prm, label, probabilities[label.pk])
    by_label = {label.pk: ratings for label, ratings in zip(found, said, strict=True)}
    rows = choose_labels(project, prm, round_id=None, model=15, control=5, seed=4)
    assert len(rows) == 20
    for row in rows:
        plain = surprisal_of(by_label[row.label_id], probabilities[row.label_id], neutral=neutral)
        assert row.surprisal == pytest.approx(plain.nats, rel=1e-4, abs=1e-6)
        assert row.step == plain.step


def marked(source, label, steps, **evidence):
    """Give the label's trace this verdict by a source."""
    trace = Trace.objects.get(pk=label.task.trace_id)
    about = {"project_id": trace.project_id, "problem_id": trace.problem_id, "outcome": trace.outcome, "draw": trace.pk}
    score = -1.0 if any(one is not None for one in steps or []) else None
    Score.objects.create(scorer=source, trace=trace, steps=steps, score=score, evidence=evidence, **about)


def test_every_kind_of_source_finds_labels_unlikely_by_what_it_says_and_none_where_it_says_nothing():
    project, _, _, found = labeled(RIGHT, WRONG_AT_1, RIGHT)
    says_1, agrees, silent = found
    browser = Browser(make_member(project, "researcher"))
    hits = [[1.0, 0.0, None], [1.0, 0.0, 0.0]]
    cases = {  # its verdicts on the first two labels' traces, and the chance of their least likely ratings
        "rollouts": (
            [(hits[0], {"n": [8, 8, 8, None], "first_error": 1}), (hits[1], {"n": [4] * 4, "first_error": 1})],
            [chance_of(0.0, 8), chance_of(1.0, 4)],
        ),
        "judge": ([([0.75, 0.25, 0.5], {"first_error": 1}), ([0.75, 0.25, 0.5], {"first_error": 1})], [0.25, 0.75]),
        "consensus": ([([1.0, 0.0, None], {"first_error": 1})] * 2, [0.25, 0.75]),
        "verifier": ([([None, 0.0, None], {"first_error": 1})] * 2, [0.25, 0.75]),
        "formal": ([([1.0, 0.0, None], {"first_error": 1})] * 2, [0.25, 0.75]),
        "imported": ([([0.9, 0.04, 0.9], {}), ([1.0, 0.0, 0.0], {"kind": "hard"})], [0.04, 0.75]),
    }
    for kind, (said, chances) in cases.items():
        source = make_prm(project=project, kind=kind, spec={})
        for label, (steps, evidence) in zip((says_1, agrees), said, strict=True):
            marked(source, label, steps, **evidence)
        marked(source, silent, None if kind == "imported" else [0.0, 0.0, 0.0], first_error=None, why="unsolvable")
        counts = browser.call("POST", f"/api/projects/{project.slug}/label_audits/preview", {"prm": source.pk})
        assert (counts["candidates"], counts["unscored"]) == (2, 1), kind
        assert counts["learned_known"] is (False if kind == "imported" else None)
        rows = choose_labels(project, source, round_id=None, model=1, control=1, seed=2)
        told = {row.label_id: (row.surprisal, row.step) for row in rows}
        assert told[says_1.pk] == (pytest.approx(-math.log(chances[0]), rel=1e-4), 1), kind
        assert told[agrees.pk][0] == pytest.approx(-math.log(chances[1]), rel=1e-4), kind
    body, address = {"prm": source.pk, "labels": 2, "control_share": 0.5}, f"/api/projects/{project.slug}/label_audits"
    made_by = browser.call("POST", address, body, status=201)
    assert made_by["prm"] == {"id": source.pk, "kind": "imported", "name": source.name}
    nothing = make_prm(project=project, kind="judge", spec={})
    refused = browser.call("POST", address, {**body, "prm": nothing.pk}, status=422)
    assert "under Machine labels" in refused["detail"]


def test_what_a_search_did_not_ask_follows_from_its_first_error():
    project, _, _, (label,) = labeled(RIGHT)
    source = make_prm(project=project, kind="rollouts", spec={})
    marked(source, label, [None, None, 0.0], n=[4, None, None, 4], first_error=1)
    [row] = choose_labels(project, source, round_id=None, model=0, control=1, seed=1)
    assert (row.surprisal, row.step) == (pytest.approx(-math.log(chance_of(0.0, 4))), 2)
    half = {"n": [4, 4, None, 4], "first_error": 0}
    Score.objects.filter(scorer=source).update(evidence=half, steps=[0.5, None, None])
    [row] = choose_labels(project, source, round_id=None, model=0, control=1, seed=1)
    assert (row.surprisal, row.step) == (pytest.approx(math.log(2)), 0)


def test_what_a_prm_learned_from_and_what_is_settled_gold_bad_left_out_or_changed_is_never_chosen(
    django_assert_num_queries,
):
    project, round_, prm, found = labeled(*[RIGHT] * 10, overlap=2)
    learned, ruled, gold, bad, left_out, revised, unscored, audited, *rest = found
    ben = make_member(project)
    other = labels.claim_next_label(ben, project).label  # a second label of some trace, not submitted
    run = TrainingRun.objects.create(project=project, prm=prm, base="x", round_ids=[round_.pk])
    run.label_ids = packed_ids(array("q", [learned.pk]))
    run.save()
    admin = make_member(project, "admin")
    ruling = {"ratings": WRONG_AT_1, "finish_reason": "found_error"}
    Browser(admin).call("POST", f"/api/tasks/{ruled.task_id}/settle", ruling)
    make_gold(Trace.objects.get(pk=gold.task.trace_id), acceptable=[1], by=None)
    mark_bad_problem(Task.objects.get(pk=bad.task_id), by=admin, reason="No figure.")
    Label.objects.filter(pk=left_out.pk).update(excluded=True)
    new = labels.revise_label(revised, make_submission(WRONG_AT_2))
    Score.objects.filter(trace=unscored.task.trace).delete()
    open_one = LabelAudit.objects.create(project=project, scorer=prm, seed=0)
    LabelAuditItem.objects.create(
        label_audit=open_one, label=audited, arm="model", position=0, surprisal=1, least_likely_step=0
    )
    with django_assert_num_queries(2):  # what the PRM learned from, and the choice
        arms = chosen(project, prm, model=20, control=2)
    assert arms["model"] | arms["control"] == {label.pk for label in (*rest, new)}
    assert other.pk not in arms["model"]
    assert count_labels(project, prm) == {
        "labels": 6,
        "unscored": 1,
        "learned": 1,
        "reviewed": 1,
        "same_trace": 0,
        "candidates": 3,
    }


def test_another_label_of_a_trace_that_the_prm_learned_from_is_not_chosen_either():
    project, round_, prm, (mine,) = labeled(RIGHT, overlap=2)
    say(make_member(project), project, WRONG_AT_1)
    run = TrainingRun.objects.create(project=project, prm=prm, base="x", round_ids=[round_.pk])
    TrainingRun.objects.filter(pk=run.pk).update(label_ids=packed_ids(array("q", [mine.pk])))
    assert chosen(project, prm) == {"model": set(), "control": set()}
    browser = Browser(make_member(project, "researcher"))
    other = make_prm()
    for asked, known in ((prm, True), (other, False)):
        path = f"/api/projects/{project.slug}/label_audits/preview"
        assert browser.call("POST", path, {"prm": asked.pk})["learned_known"] is known


def test_what_the_meta_json_of_a_prm_from_elsewhere_names_is_left_out():
    project, _, prm, found = labeled(*[RIGHT] * 3)
    learned = [bytes(found[0].task.trace.trace_hash)]
    check_prm(prm, lambda _: {"fingerprint": prm.fingerprint, "scale": "probability", "learned": learned})
    browser = Browser(make_member(project, "researcher"))
    counts = browser.call("POST", f"/api/projects/{project.slug}/label_audits/preview", {"prm": prm.pk})
    assert (counts["learned"], counts["candidates"], counts["learned_known"]) == (1, 2, True)
    arms = chosen(project, prm)
    assert arms["model"] | arms["control"] == {found[1].pk, found[2].pk}


def test_no_trace_comes_twice():
    project, _, prm, found = labeled(*[RIGHT] * 6, overlap=2)
    ben = make_member(project)
    for _ in range(6):
        say(ben, project, WRONG_AT_1)
    rows = choose_labels(project, prm, round_id=None, model=9, control=3, seed=1)
    traces = list(Task.objects.filter(labels__in=[row.label_id for row in rows]).values_list("trace", flat=True))
    assert len(traces) == len(set(traces)) == len(found)
    counts = count_labels(project, prm)
    assert (counts["labels"], counts["same_trace"], counts["candidates"]) == (12, 6, len(rows)), "said beforehand"
    whole = made(project, prm)
    assert (whole.counts["candidates"], whole.items.count()) == (6, 6), "and afterwards"


def test_a_label_audit_without_two_labels_says_what_is_missing_and_a_prm_of_rewards_is_refused():
    project, _, prm, (label, *_) = labeled(RIGHT, RIGHT)
    Score.objects.all().delete()
    with pytest.raises(NothingSelected, match="score_traces"):
        made(project, prm)
    score(prm, label, SURE)
    with pytest.raises(NothingSelected, match="1 have no score"):
        made(project, prm)
    with pytest.raises(PrmGivesNoProbabilities):
        made(project, make_prm(scale="log_ratio"))


def test_a_reviewer_sees_a_trace_and_nothing_of_its_label_its_scores_its_ids_or_its_arm():
    project, _, prm, _ = labeled(WRONG_AT_1, RIGHT, WRONG_AT_2, RIGHT)
    found = made(project, prm)
    browser = Browser(make_member(project, "researcher"))
    shown = [browser.call("POST", f"/api/label_audits/{found.pk}/next", {})]
    for _ in range(3):
        shown.append(
            browser.call("POST", f"/api/label_audits/{found.pk}/next", {"after": shown[-1]["item"]["position"]})
        )
    assert len({one["item"]["id"] for one in shown}) == 4
    assert {tuple(sorted(one["item"])) for one in shown} == {
        ("final_answer", "id", "outcome", "position", "problem", "protocol", "review", "steps", "typed_steps")
    }
    assert {tuple(sorted(one["item"]["problem"])) for one in shown} == {
        ("accepted_answers", "answer", "reference_solution", "text")
    }
    summary = browser.call("GET", f"/api/label_audits/{found.pk}")
    assert summary["report"] is None
    told = json.dumps([shown, summary, browser.call("GET", f"/api/projects/{project.slug}/label_audits")])
    for word in ("arm", "surprisal", "model", "labeler", "Ada", "label_id", "trace_id"):
        assert f'"{word}"' not in told
    assert (
        browser.call("GET", f"/api/label_audits/{found.pk}/report.csv", status=409)["code"]
        == "label_audit_not_in_status"
    )


def test_nobody_reviews_a_trace_that_they_labeled_and_two_people_never_hold_the_same():
    project, _, prm, found = labeled(RIGHT, RIGHT, RIGHT)
    ada = found[0].labeler
    ada.memberships.update(role="researcher")
    item = LabelAuditItem.objects.filter(label_audit=(opened := made(project, prm))).first()
    browser = Browser(ada)
    answer = browser.call("POST", f"/api/label_audits/{opened.pk}/next", {})
    assert (answer["item"], answer["progress"]["yours"]) == (None, 0)
    browser.call("GET", f"/api/label_audit_items/{item.pk}", status=404)
    body = {"ratings": RIGHT, "finish_reason": "solution"}
    browser.call("POST", f"/api/label_audit_items/{item.pk}/review", body, status=404)
    people = [Browser(make_member(project, "researcher")) for _ in range(3)]
    held = [one.call("POST", f"/api/label_audits/{opened.pk}/next", {})["item"]["id"] for one in people]
    assert len(set(held)) == 3
    assert people[0].call("POST", f"/api/label_audits/{opened.pk}/next", {})["item"]["id"] == held[0]
    people[0].call("POST", f"/api/label_audit_items/{held[0]}/review", body)
    # They hold the only two that are left.
    assert people[0].call("POST", f"/api/label_audits/{opened.pk}/next", {})["item"] is None
    taken = people[1].call("POST", f"/api/label_audit_items/{held[0]}/review", body, status=409)
    assert taken["code"] == "label_audit_not_in_status"


def test_a_review_can_be_changed_until_the_end_and_changes_nothing_before_it():
    project, round_, prm, _ = labeled(RIGHT, RIGHT)
    found = made(project, prm)
    browser = Browser(make_member(project, "researcher"))
    before = list(Label.objects.order_by("pk").values())
    assert reviewed(browser, found, lambda item: WRONG_AT_1) == 2
    assert list(Label.objects.order_by("pk").values()) == before
    assert not Task.objects.filter(round=round_).exclude(settlement="").exists()
    item = LabelAuditItem.objects.filter(label_audit=found).first()
    shown = browser.call("GET", f"/api/label_audit_items/{item.pk}")
    assert shown["review"]["ratings"] == WRONG_AT_1
    browser.call(
        "POST",
        f"/api/label_audit_items/{item.pk}/review",
        {"ratings": RIGHT, "finish_reason": "solution", "note": "Fine."},
    )
    report = browser.call("POST", f"/api/label_audits/{found.pk}/finish")["report"]
    assert (report["rulings"], len(report["corrected"])) == (1, 1)
    refused = browser.call(
        "POST", f"/api/label_audit_items/{item.pk}/review", {"ratings": RIGHT, "finish_reason": "solution"}, status=409
    )
    assert refused["code"] == "label_audit_not_in_status"
    again = browser.call("POST", f"/api/label_audits/{found.pk}/finish", status=409)
    assert again["code"] == "label_audit_not_in_status"


def test_a_correction_becomes_the_ruling_also_in_a_closed_round_and_leaves_every_label_as_it_was():
    project, round_, prm, (wrong, right) = labeled(WRONG_AT_1, RIGHT)
    rounds.close_round(round_, by=None)
    found = made(project, prm)
    before = list(Label.objects.order_by("pk").values())
    step_labels = list(StepLabel.objects.order_by("pk").values())
    rita = make_member(project, "researcher")
    assert reviewed(Browser(rita), found, lambda item: RIGHT) == 2
    Browser(rita).call("POST", f"/api/label_audits/{found.pk}/finish")
    ruling = Label.objects.get(status="ruling")
    assert (ruling.task_id, ruling.labeler_id, ruling.finish_reason) == (wrong.task_id, rita.pk, "solution")
    assert Task.objects.values_list("settlement", "verdict").get(pk=wrong.task_id) == ("ruled", -1)
    assert Task.objects.get(pk=right.task_id).settlement == ""
    assert list(Label.objects.exclude(status="ruling").order_by("pk").values()) == before
    assert list(StepLabel.objects.exclude(label=ruling).order_by("pk").values()) == step_labels
    trail = AuditEvent.objects.filter(project=project).values_list("action", flat=True)
    assert [one for one in trail.order_by("pk") if one.startswith(("label_audit", "review"))] == [
        *("label_audit.create", "label_audit.review", "label_audit.review", "review.settle", "label_audit.finished")
    ]


def test_what_changed_meanwhile_does_not_count_and_a_settled_dispute_stays_settled():
    project, _, prm, found = labeled(*[WRONG_AT_1] * 4)
    opened = made(project, prm)
    browser = Browser(make_member(project, "researcher"))
    reviewed(browser, opened, lambda item: RIGHT)
    revised, bad, ruled, plain = found
    labels.revise_label(revised, make_submission(RIGHT))
    mark_bad_problem(Task.objects.get(pk=bad.task_id), by=make_member(project, "admin"), reason="No figure.")
    ruling = {"ratings": WRONG_AT_2, "finish_reason": "found_error"}
    browser.call("POST", f"/api/tasks/{ruled.task_id}/settle", ruling)
    report = browser.call("POST", f"/api/label_audits/{opened.pk}/finish")["report"]
    assert sum(arm["reviewed"] for arm in report["arms"]) == 2
    assert {row["label_id"]: row["ruled"] for row in report["corrected"]} == {ruled.pk: False, plain.pk: True}
    assert Task.objects.get(pk=ruled.task_id).verdict == 2


def test_what_the_model_finds_wrong_is_all_reviewed_and_the_report_has_the_corrected_share_of_both_arms():
    noisy, clean = [WRONG_AT_1] * 5, [RIGHT] * 15
    project, _, prm, found = labeled(*noisy, *clean)
    opened = made(project, prm, labels=12, control_share=0.5)
    browser = Browser(make_member(project, "admin"))
    assert reviewed(browser, opened, lambda item: RIGHT) == 12
    report = browser.call("POST", f"/api/label_audits/{opened.pk}/finish")["report"]
    arms = {arm["arm"]: arm for arm in report["arms"]}
    by_chance = LabelAuditItem.objects.filter(label_audit=opened, arm="control", label__in=found[:5]).count()
    for arm, wrong in (("control", by_chance), ("model", 5 - by_chance)):
        low, high = wilson(wrong, 6)
        assert arms[arm]["corrected"] == {"part": wrong, "n": 6, "low": low, "high": high}
        assert arms[arm]["moves"] == {"missed": 0, "earlier": 0, "later": 0, "invented": wrong, "bad_problem": 0}
        assert (arms[arm]["said_error"]["part"], arms[arm]["said_no_error"]["part"]) == (wrong, 0)
        assert arms[arm]["steps"][0] == {"rating": -1, "n": wrong, "changed": wrong}
    assert report["difference"]["value"] == pytest.approx((5 - 2 * by_chance) / 6)
    assert {row["label_id"] for row in report["corrected"]} == {label.pk for label in found[:5]}
    table = browser.send("GET", f"/api/label_audits/{opened.pk}/report.csv").content.decode().splitlines()
    assert (len(table), sum(",invented," in line for line in table)) == (13, 5)
    # Confirmed labels are not chosen again; corrected ones are settled.
    assert count_labels(project, prm) == {
        "labels": 15,
        "unscored": 0,
        "learned": 0,
        "reviewed": 7,
        "same_trace": 0,
        "candidates": 8,
    }


def test_a_cancelled_label_audit_changes_nothing_and_its_labels_may_be_chosen_again():
    project, _, prm, _ = labeled(WRONG_AT_1, RIGHT)
    opened = made(project, prm)
    browser = Browser(make_member(project, "admin"))
    reviewed(browser, opened, lambda item: RIGHT)
    answer = browser.call("POST", f"/api/label_audits/{opened.pk}/cancel")
    assert (answer["status"], answer["report"]["rulings"], len(answer["report"]["corrected"])) == ("cancelled", 0, 1)
    assert not Label.objects.filter(status="ruling").exists()
    assert count_labels(project, prm)["candidates"] == 2
    with pytest.raises(LabelAuditNotInStatus):
        label_audits.finish_label_audit(opened, by=make_member(project, "admin"))


def test_the_list_and_a_report_take_as_many_queries_for_few_labels_as_for_many(django_assert_max_num_queries):
    project, _, prm, _ = labeled(*[WRONG_AT_1] * 12)
    opened = made(project, prm, labels=12)
    browser = Browser(make_member(project, "admin"))
    reviewed(browser, opened, lambda item: RIGHT)
    browser.call("POST", f"/api/label_audits/{opened.pk}/finish")
    with django_assert_max_num_queries(10):
        browser.call("GET", f"/api/label_audits/{opened.pk}")
    for _ in range(3):
        LabelAudit.objects.create(project=project, scorer=prm, seed=0)
    with django_assert_max_num_queries(4):  # person, project with role, page, progress
        assert len(browser.call("GET", f"/api/projects/{project.slug}/label_audits")["results"]) == 4
    with django_assert_max_num_queries(10):
        browser.send("GET", f"/api/label_audits/{opened.pk}/report.csv")


def test_an_audit_needs_a_round_of_the_project_labels_and_a_prm_that_judges_steps():
    project, _, prm, _ = labeled([1, 1, 1])
    admin = Browser(make_member(project, "admin"))
    address = f"/api/projects/{project.slug}/label_audits"
    unknown = admin.call("POST", address, {"prm": prm.pk, "labels": 2, "round": 10**9}, status=400)
    assert "round" in unknown["fields"]
    empty = make_project()
    nothing = Browser(make_member(empty, "admin")).call(
        "POST", f"/api/projects/{empty.slug}/label_audits", {"prm": make_prm(project=empty).pk, "labels": 2}, status=422
    )
    assert "There are no labels here" in nothing["detail"]
    TrainingRun.objects.create(project=project, base="b", round_ids=[], prm=prm, target="outcome")
    orm = admin.call("POST", address, {"prm": prm.pk, "labels": 2}, status=409)
    assert "judges outcomes, not steps" in orm["detail"]
