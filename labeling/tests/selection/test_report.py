"""The round report: a case worked by hand, several labels per task, and what closing freezes."""

import csv
import io
from collections.abc import Sequence
from dataclasses import asdict

import pytest

from labeling.actions import rounds
from labeling.actions.labels import claim_next_label, revise_label, submit_label
from labeling.actions.reviews import settle_task
from labeling.models import Label, Round, Score, Task, Trace, User
from labeling.protocol.submission import Submission
from labeling.queries.round_figures import round_figures
from labeling.queries.round_report import report_of, reported_rounds, round_report, table
from labeling.statistics.intervals import wilson
from labeling.tests.accounts import Browser
from labeling.tests.factories import make_member, make_project, make_submission
from labeling.tests.selection.pools import PoolTrace, make_pool, make_prm, ready_round

pytestmark = pytest.mark.django_db

SPAN = {"start": 0, "end": 3000, "step": 0}  # three seconds of work on every label
SURE, LOW = 0.9, 0.2
# Outcome, log score, P(step correct) of three steps, and the labeler's verdict.
CASES = {
    "wrong, found where the PRM is low": ("wrong", -0.1, [SURE, 0.4, 0.3], [1, -1, None]),
    "wrong, found where the PRM is sure": ("wrong", -0.2, [SURE, 0.8, LOW], [-1, None, None]),
    "wrong, but no error is found": ("wrong", -0.3, [SURE, SURE, SURE], [1, 1, 0]),
    "wrong, given up": ("wrong", -0.4, [SURE, SURE, SURE], "give_up"),
    "wrong, and the PRM sees nothing": ("wrong", -0.5, [SURE, SURE, SURE], [1, 1, -1]),
    "correct": ("correct", -0.05, [SURE, SURE, SURE], [1, 1, 1]),
    "correct by a wrong step": ("correct", -0.06, [SURE, 0.45, SURE], [0, -1, None]),
    "correct, of a bad problem": ("correct", -0.07, [SURE, SURE, SURE], "bad_problem"),
}


def published(scale: str = "probability", **settings) -> Round:
    """The eight cases, selected: four wrong, the last of which is the control arm, and four others."""
    project, prm = make_project(), make_prm(scale=scale)
    pool = [
        PoolTrace(n, outcome, score, ["A.", "B.", name]) for n, (name, (outcome, score, *_)) in enumerate(CASES.items())
    ]
    for trace in make_pool(project, prm, pool):
        Score.objects.filter(trace=trace).update(steps=CASES[trace.steps[2]][2])
    round_ = ready_round(project, prm, mode="global", k=8, ratio=0.5, **settings)
    Task.objects.filter(round=round_, rank=3).update(reason="control")
    return rounds.publish_round(round_, by=None)


def answer(said: Sequence[int | None] | str) -> Submission:
    """Return a complete submission with this verdict."""
    if said == "give_up":
        return make_submission([1, None, None], finish_reason=said, finish_detail={"text": "I am lost."}, spans=[SPAN])
    if said == "bad_problem":
        detail = {"kind": "false_premise", "text": "No such number."}
        return make_submission([None] * 3, finish_reason=said, finish_detail=detail, spans=[SPAN])
    return make_submission(list(said), spans=[SPAN])


def label_all(round_: Round, labeler: User | None = None, **said) -> None:
    """Have one labeler do the whole queue; `said`, by name of the case, overrides its verdict."""
    labeler = labeler or make_member(round_.project)
    while (label := claim_next_label(labeler, round_.project).label) is not None:
        name = label.task.trace.steps[2]
        submit_label(label, answer(said.get(name, CASES[name][3])))


def test_a_round_worked_by_hand():
    round_ = published()
    label_all(round_)
    report = round_report(Round.objects.get(pk=round_.pk))
    assert report["tasks"] == {"control": 1, "convincing_rest": 4, "convincing_wrong": 3}
    assert report["labels"] == {"submitted": 8, "surplus": 0}
    assert report["finished"] == {
        "convincing_wrong": {"found_error": 2, "solution": 1, "bad_problem": 0, "give_up": 0},
        "convincing_rest": {"found_error": 2, "solution": 1, "bad_problem": 1, "give_up": 0},
        "control": {"found_error": 0, "solution": 0, "bad_problem": 0, "give_up": 1},
    }
    assert shares(report["yield"]) == {
        "convincing_wrong": (3, 2, pytest.approx(2 / 3)),
        "convincing_rest": (1, 1, 1.0),
        "control": (1, 0, 0.0),
    }
    # One problem each, and fewer than five of them: nothing is known about the next ones.
    assert {(one["low"], one["high"], one["no_interval"]) for one in report["yield"].values()} == {
        (None, None, "few_clusters")
    }
    assert report["false_alarms"] == {"n": 1, "of": 5, "share": 0.2}
    assert report["prm_misses"] == {"n": 2, "of": 4, "share": 0.5}
    assert report["localisation"] == {
        "n": 4,
        "exact": 0.5,
        "within_1": 0.5,
        "mean_distance": pytest.approx(2 / 3),
        "no_low_step": 1,
    }
    assert report["median_score"] == {"selected": -0.2, "pool": -0.2, "control": None}
    assert (report["give_up_rate"], report["bad_problem_rate"]) == (1 / 8, 1 / 8)
    # Wilson's 95 % interval of one eighth for seven trials: one of the eight problems is used up by the share itself.
    interval = report["intervals"]["give_up_rate"]
    assert (interval["n"], interval["clusters"]) == (8, 8)
    assert (round(interval["low"], 4), round(interval["high"], 4)) == (0.0204, 0.4954)
    assert {name: (one["value"], one["no_interval"]) for name, one in report["intervals"].items()} == {
        "false_alarms": (0.2, None),
        "prm_misses": (0.5, "few_clusters"),
        "exact": (0.5, "few_clusters"),
        "within_1": (0.5, "few_clusters"),
        "give_up_rate": (1 / 8, None),
        "bad_problem_rate": (1 / 8, None),
    }
    assert report["active_minutes_per_error"] == pytest.approx(8 * 3 / 60 / 4)
    assert report["label_mix"] == {"-1": 4, "0": 2, "1": 9}
    assert [number for _, number in report["by_day"]] == [8]
    assert (report["dropped"], report["shortfall"]) == ({}, 0)


def test_a_ruling_says_how_its_task_ended():
    round_ = published()
    label_all(round_)
    clean = Task.objects.get(trace__steps__contains=["wrong, but no error is found"])
    settle_task(clean, by=make_member(round_.project, "admin"), ratings=[1, -1, None], finish_reason="found_error")
    report, head = round_report(round_), round_figures(round_)
    assert report["finished"]["convincing_wrong"] == {"found_error": 3, "solution": 0, "bad_problem": 0, "give_up": 0}
    assert (report["false_alarms"]["n"], report["localisation"]["n"]) == (0, 5)
    assert (report["yield"]["convincing_wrong"]["found"], head["errors_found"].value) == (3, 5 / 8)
    assert report["labels"] == {"submitted": 8, "surplus": 0}  # a ruling is not a label of the round


def shares(found: dict) -> dict:
    return {arm: (one["n"], one["found"], one["share"]) for arm, one in found.items()}


def test_what_a_round_says_of_itself_is_the_same_in_its_head_its_report_and_its_table():
    round_ = published()
    label_all(round_)
    left_out = Label.objects.get(task__trace__steps__contains=["wrong, given up"])
    Label.objects.filter(pk=left_out.pk).update(excluded=True)
    report, head = round_report(round_), round_figures(round_)
    assert report["give_up_rate"] == head["give_up"].value == 0  # the one that gave up was left out
    for told, name in (("give_up_rate", "give_up"), ("bad_problem_rate", "bad_problem")):
        assert report["intervals"][told] == asdict(head[name])
    assert head["bad_problem"].n == 7
    found = Label.objects.filter(task__trace__steps__contains=["wrong, found where the PRM is low"])
    found.update(excluded=True)
    report, head = round_report(round_), round_figures(round_)
    assert report["active_minutes_per_error"] == pytest.approx(head["minutes_per_error"].value)
    assert report["time"]["confirmed_errors"] == 3
    found.update(excluded=False)
    report, head = round_report(round_), round_figures(round_)
    assert sum(report["label_mix"].values()) == 14  # without the step that it rated
    assert (report["labels"]["submitted"], report["by_day"][0][1]) == (8, 8)  # the work was done
    [row] = [row for row in table(report) if row[0] == "bad_problem_rate"]
    assert row[3:5] == (head["bad_problem"].low, head["bad_problem"].high)


def test_a_round_nobody_labeled_yet_has_no_shares():
    report = round_report(published())
    assert (report["yield"], report["finished"]) == ({}, {})
    assert report["false_alarms"] == report["prm_misses"] == {"n": 0, "of": 0, "share": None}
    assert {report["give_up_rate"], report["bad_problem_rate"], report["active_minutes_per_error"]} == {None}
    assert report["localisation"]["exact"] is report["localisation"]["mean_distance"] is None


def test_log_ratio_scores_are_low_from_zero_down():
    round_ = published(scale="log_ratio")
    Score.objects.filter(project=round_.project).update(steps=[3.0, -0.5, 0.1])
    label_all(round_)
    report = round_report(Round.objects.get(pk=round_.pk))
    assert report["localisation"]["no_low_step"] == 0
    assert report["prm_misses"]["n"] == 2  # errors at steps 0 and 2; the two at step 1 are seen


def test_a_task_with_several_labels_counts_once_by_its_majority_and_claims_no_error_in_a_tie():
    round_ = published(overlap=3)
    name, tied = "wrong, found where the PRM is low", "wrong, found where the PRM is sure"
    label_all(round_, **{name: [1, -1, None], tied: "give_up"})
    label_all(round_, **{name: [1, 1, -1], tied: [-1, None, None]})
    before = round_report(Round.objects.get(pk=round_.pk))
    assert before["yield"]["convincing_wrong"]["found"] == 1  # in a tie of one to one, nothing is concluded
    label_all(round_, **{name: [1, 1, 0], tied: [1, -1, None]})
    report = round_report(Round.objects.get(pk=round_.pk))
    assert report["labels"]["submitted"] == 24
    assert report["yield"]["convincing_wrong"]["n"] == 3
    assert report["yield"]["convincing_wrong"]["found"] == 2
    assert report["finished"]["convincing_wrong"] == {"found_error": 2, "solution": 1, "bad_problem": 0, "give_up": 0}
    # First errors: 1 of (1, 2), where the PRM is first low; 0 of (0, 1), two before it; the rest as before.
    assert report["localisation"]["exact"] == 0.5


def test_surplus_labels_and_earlier_versions_of_revised_ones_do_not_count():
    round_ = published()
    labeler = make_member(round_.project)
    label_all(round_, labeler)
    held = Label.objects.filter(task__trace__steps__contains=["wrong, but no error is found"]).get()
    revise_label(held, answer([1, -1, None]))
    late = Label.objects.filter(task__trace__steps__contains=["wrong, given up"])
    late.update(surplus=True)
    report = round_report(Round.objects.get(pk=round_.pk))
    assert report["labels"] == {"submitted": 7, "surplus": 1}
    assert report["yield"]["convincing_wrong"]["found"] == 3
    assert "control" not in report["yield"]
    assert report["active_minutes_per_error"] == pytest.approx(report_minutes(round_) / 5)


def report_minutes(round_: Round) -> float:
    return sum(Label.objects.filter(task__round=round_).values_list("active_ms", flat=True)) / 60_000


def test_closing_freezes_the_report():
    round_ = published()
    label_all(round_)
    before = round_report(Round.objects.get(pk=round_.pk))
    rounds.close_round(round_, by=None)
    Trace.objects.filter(project=round_.project).update(outcome="correct")
    closed = Round.objects.get(pk=round_.pk)
    assert report_of(closed) == before == closed.report
    assert round_report(closed) != before


def test_a_plain_rounds_report_has_its_own_arm_and_nothing_of_a_prm():
    project = make_project()
    make_pool(project, None, [PoolTrace(0, "wrong", None, ["A.", "B.", next(iter(CASES))])])
    round_ = rounds.open_round(project, by=None)
    label_all(round_)
    report = round_report(round_)
    assert (report["prm"], report["tasks"]) == (None, {"all": 1})
    assert report["yield"]["all"]["found"] == 1
    assert report["prm_misses"]["of"] == 0


def test_the_report_over_http_and_as_a_table_say_the_same():
    round_ = published()
    label_all(round_)
    browser = Browser(make_member(round_.project, "researcher"))
    report = browser.get(f"/api/rounds/{round_.pk}/report").json()
    assert report.pop("as_of")
    assert report == round_report(Round.objects.get(pk=round_.pk))
    answered = browser.get(f"/api/rounds/{round_.pk}/report.csv")
    assert answered.headers["Content-Disposition"].startswith(f'attachment; filename="{round_.project.slug}-round-1')
    rows = list(csv.DictReader(io.StringIO(answered.content.decode())))
    (wrong,) = [row for row in rows if (row["figure"], row["of"]) == ("yield", "convincing_wrong")]
    assert float(wrong["value"]) == report["yield"]["convincing_wrong"]["share"]
    assert (wrong["low"], int(wrong["n"])) == ("", 3)  # three problems: there is no interval
    (minutes,) = [row for row in rows if row["figure"] == "active_minutes_per_error"]
    assert float(minutes["value"]) == report["active_minutes_per_error"]
    (far,) = [row for row in rows if row["figure"] == "localisation: mean_distance"]
    assert (float(far["value"]), int(far["n"])) == (report["localisation"]["mean_distance"], 3), "one has no low step"


def test_the_table_of_a_closed_round_is_that_of_the_open_one_with_ratings_as_numbers():
    round_ = published()
    label_all(round_)
    browser = Browser(make_member(round_.project, "researcher"))
    address = f"/api/rounds/{round_.pk}/report.csv"
    before = browser.get(address).content.decode().splitlines()
    rounds.close_round(round_, by=None)
    after = browser.get(address).content.decode().splitlines()
    assert after[: len(before)] == before
    assert [line for line in after if line.startswith("steps rated")] == [
        "steps rated,-1,4,,,",
        "steps rated,0,2,,,",
        "steps rated,1,9,,,",
    ]


def test_rounds_lie_side_by_side_once_labelers_got_to_see_them(django_assert_num_queries):
    first = published()
    project, prm = first.project, first.scorer
    label_all(first)
    rounds.close_round(first, by=None)
    make_pool(project, prm, [PoolTrace(0), PoolTrace(0)])
    second = rounds.publish_round(ready_round(project, prm), by=None)
    make_pool(project, prm, [PoolTrace(0)])
    ready_round(project, prm)
    found = reported_rounds(project)
    assert [round_.pk for round_, _ in found] == [first.pk, second.pk]
    browser = Browser(make_member(project, "researcher"))
    results = browser.get(f"/api/projects/{project.slug}/round_reports").json()["results"]
    assert [one["round"]["status"] for one in results] == ["closed", "labeling"]
    assert results[0]["round"]["prm"] == {"id": prm.pk, "name": prm.name}
    assert results[0]["report"]["labels"]["submitted"] == 8
    with django_assert_num_queries(9):
        round_report(second)


def test_the_interval_of_a_yield_knows_that_traces_of_one_problem_are_alike():
    project = make_project()
    make_pool(project, None, [PoolTrace(n // 4, "wrong", None, ["A.", "B.", f"C {n}."]) for n in range(24)])
    round_ = rounds.open_round(project, by=None)
    labeler, odd = make_member(project), {problem.pk for problem in project.problems.order_by("pk")[::2]}
    while (label := claim_next_label(labeler, project).label) is not None:
        submit_label(label, answer([1, 1, -1] if label.task.trace.problem_id in odd else "give_up"))
    told = round_report(round_)["yield"]["all"]
    assert (told["n"], told["found"], told["share"]) == (24, 12, 0.5)
    assert (told["low"], told["high"]) < wilson(12, 24), "six problems tell less than 24 traces"
    browser = Browser(make_member(project, "researcher"))
    figures = browser.call("GET", f"/api/rounds/{round_.pk}/figures")["figures"]
    [same] = [figure["estimate"] for figure in figures if figure["name"] == "yield"]
    assert (told["low"], told["high"]) == (same["low"], same["high"])
