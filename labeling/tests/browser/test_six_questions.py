"""The six questions that a researcher asks every day, each answered within two clicks from Home, in one project."""

import re
from collections.abc import Callable
from dataclasses import asdict
from typing import Any

import pytest
from django.utils import timezone
from playwright.sync_api import Locator, Page, expect

from labeling.actions import evaluations, labels, rounds
from labeling.actions.step_scorer_promotions import promote_prm
from labeling.actions.training_at_close import sweep_closes
from labeling.configs.rounds import TraceFilter
from labeling.models import Evaluation, Label, Problem, Project, Round, Score, StepScorer, Trace, TrainingRun
from labeling.selection.sketches import sketches_of
from labeling.statistics.intervals import Estimate, share
from labeling.tests import factories
from labeling.tests.selection.pools import make_prm

pytestmark = [pytest.mark.browser, pytest.mark.django_db(transaction=True)]
LogIn = Callable[..., Page]
LEARNED = (20, 40, 80, 160, 320)  # labels of the five models, each better than the previous one


class Clicks:
    """A researcher on Home, whose clicks are counted from there."""

    def __init__(self, page: Page, home: str) -> None:
        self.page, self.home, self.made = page, home, 0

    def ask(self) -> None:
        """Start again at Home."""
        self.page.goto(self.home)
        expect(self.page.get_by_role("heading", name="How good are the labels?")).to_be_visible()
        self.made = 0

    def click(self, what: Locator) -> None:
        """Count one more click; a third one fails."""
        self.made += 1
        assert self.made <= 2
        what.click()


def labeled_round(project: Project) -> tuple[Round, list[str]]:
    """A closed round of twelve traces that Ada and Bo read; they differ on the first, where Bo finds no error."""
    round_ = factories.make_round(project, 12, overlap=2, name="Pilot")
    first = Trace.objects.filter(project=project).order_by("pk")[0].pk
    for name, wrong in (("Ada", [1, -1, None]), ("Bo", [1, 1, 1])):
        person = factories.make_member(project, display_name=name)
        while (claimed := labels.claim_next_label(person, project).label) is not None:
            labels.submit_label(
                claimed, factories.make_submission(wrong if claimed.task.trace_id == first else [1, 1, -1])
            )
            Label.objects.filter(pk=claimed.pk).update(active_ms=60_000)
    rounds.close_round(round_, by=None)
    factories.make_round(project, 6, source="filter", filter=TraceFilter(unlabeled_only=True))  # still to be labeled
    return round_, [f"Trace {first}"]


def measured_models(project: Project) -> None:
    """Five models that learned from more and more labels, on a set of recorded errors; the second selects."""
    traces = factories.make_traces(project, 24, recorded_first_error=1, recorded_ratings=[1, -1, None], outcome="wrong")
    traces += factories.make_traces(project, 24, recorded_first_error=-1, recorded_ratings=[1, 1, 1], outcome="correct")
    Problem.objects.filter(traces__in=traces).update(split="held_out")
    made = evaluations.create_evaluation_set(project, by=None, name="Bench", source="recorded")
    for place, learned in enumerate(LEARNED):
        prm = make_prm(f"Of {learned}", project=project)
        run = {"base": "none", "round_ids": [], "labels_total": learned, "status": "succeeded"}
        TrainingRun.objects.create(
            project=project, prm=prm, finished_at=timezone.now(), report={"learning_curve": curve_of(learned)}, **run
        )
        score_all(prm, traces, right=0.6 + 0.08 * place)
        evaluation = evaluations.create_evaluation(project, by=None, scorer=prm, evaluation_set=made, best_of=0)
        evaluations.run_evaluation(evaluation.pk, lambda *_: None)
        assert Evaluation.objects.get(pk=evaluation.pk).status == "succeeded"
    promote_prm(project, StepScorer.objects.get(name="Of 40"), by=factories.make_member(project, "admin"))


def curve_of(labels: int) -> dict[str, Any]:
    """Return a training report's learning curve: four shares of the labels, and the forecast for twice as many."""
    points = [
        {"labels": labels * part // 4, "auc": asdict(share(60 + 4 * part, 100)), "baseline": 0.55}
        for part in (1, 2, 3, 4)
    ]
    gain = asdict(Estimate(0.03, 0.01, 0.05, 900, 40))
    gains = [{"more": labels, "gain": gain, "auc": 0.79, "because": None}]
    return {"labels": labels, "problems": 40, "steps": 900, "points": points, "gains": gains}


def score_all(prm: StepScorer, traces: list[Trace], *, right: float) -> None:
    """Score the wrong step low in a share `right` of the traces that have one, and high in the others."""
    Score.objects.bulk_create(
        Score(
            scorer=prm,
            trace=trace,
            project_id=trace.project_id,
            problem_id=trace.problem_id,
            outcome=trace.outcome,
            draw=trace.pk,
            steps=[0.9 - place * 0.004, doubt(trace, place, right), 0.8 + place * 0.002],
            score=-0.5,
            sketch=sketches_of(["\n".join(trace.steps)])[0],
        )
        for place, trace in enumerate(traces)
    )


def doubt(trace: Trace, place: int, right: float) -> float:
    return 0.2 + place * 0.001 if trace.outcome == "wrong" and place < 24 * right else 0.86 + place * 0.001


def test_six_questions_are_answered_within_two_clicks_of_home(live_server: Any, log_in: LogIn) -> None:
    project = factories.make_project(name="Algebra", hourly_rate="30.00", currency="EUR")
    round_, [disputed] = labeled_round(project)
    measured_models(project)
    page = log_in(factories.make_member(project, "researcher", display_name="Rita"))
    by_clicks = Clicks(page, f"{live_server.url}/projects/{project.slug}/home")
    sections = page.get_by_role("navigation", name="Project")

    # 1. How good are my labels? No click.
    by_clicks.ask()
    quality = page.get_by_role("region", name="How good are the labels?")
    expect(quality).to_contain_text("11 of 12 pairs of labels of one trace with the same first error")
    expect(quality).to_contain_text("0 of 24 labels below the minimum time per step")

    # 2. Which labelers disagree, and why? The person, then the trace on which the two differ.
    by_clicks.click(page.get_by_role("table", name="Labelers with their work").get_by_role("link", name="Bo"))
    peers = page.get_by_role("table", name="Labelers of the same traces")
    expect(peers).to_contain_text("Ada first error: step 2")
    expect(page.get_by_text("Share so far").first).to_be_visible()
    by_clicks.click(peers.get_by_role("link", name=disputed))
    expect(page.get_by_role("heading", name=disputed)).to_be_visible()

    # 3. What did this round give me? Its page starts with that.
    by_clicks.ask()
    by_clicks.click(page.get_by_role("table", name="Rounds").get_by_role("link", name="Pilot"))
    expect(page.get_by_text("Labelers found an error in 11 of 12 labeled traces")).to_be_visible()
    trust = page.get_by_role("region", name="How far to trust it")
    expect(trust).to_contain_text("12 of 12 labeled traces with two or more labels")
    by_clicks.click(trust.get_by_role("link", name="Those that differ"))
    expect(page.get_by_role("heading", name="2 of 24 labels")).to_be_visible()

    # 4. Is the new PRM better? The leaderboard, then the paired differences.
    by_clicks.ask()
    by_clicks.click(sections.get_by_role("link", name="Models"))
    expect(page.get_by_text("Of 40 selects; Of 320 has the highest step AUC on Bench")).to_be_visible()
    board = page.get_by_role("table", name="Models measured on Bench")
    by_clicks.click(board.get_by_role("row").filter(has_text="selector").get_by_role("link", name="Compare"))
    expect(page.get_by_text("Of 40 against Of 320")).to_be_visible()

    # 5. What would as many labels again buy? No click: the learning curve of the newest training.
    by_clicks.ask()
    expect(page.get_by_text("More labels still teach: with 640 in all, +0.030 of step AUC")).to_be_visible()

    # 6. What will it cost, when is it done? No click: Home forecasts the open round.
    by_clicks.ask()
    open_rounds = page.get_by_role("region", name="Open rounds")
    expect(open_rounds).to_contain_text("6 labels to go")
    expect(open_rounds).to_contain_text("€")
    expect(open_rounds).to_contain_text("Done")

    # An unknown word shows its meaning, by keys alone.
    open_rounds.get_by_role("button", name="Meaning of “round”").press("Enter")
    meaning = open_rounds.get_by_role("note")
    expect(meaning).to_have_text(re.compile("^round one turn of choosing traces and labeling them"))
    page.keyboard.press("Escape")
    expect(meaning).to_be_hidden()

    # The selector compared with the previous one, once another is promoted.
    chosen = page.get_by_role("region", name="The selector")
    expect(chosen).to_contain_text("It is the first PRM that was promoted")
    better = StepScorer.objects.get(name="Of 320")
    promote_prm(project, better, by=factories.make_member(project, "admin"))
    by_clicks.ask()
    expect(chosen).to_contain_text("Against Of 40 on Bench: better in")
    chosen.get_by_role("link", name="Compare").click()
    expect(page.get_by_text("Of 320 against Of 40")).to_be_visible()

    # Two rounds side by side: one row per figure, with its mark.
    page.goto(f"{live_server.url}/projects/{project.slug}/rounds/compare")
    expect(page.get_by_role("table", name="How far to trust it")).to_contain_text("Read twice")
    # And a new one like the first.
    page.goto(f"{live_server.url}/projects/{project.slug}/rounds/{round_.pk}")
    page.get_by_role("link", name="New like this").click()
    expect(page.get_by_text("Filled as Pilot was")).to_be_visible()


def test_home_offers_a_training_at_each_close_and_tells_what_became_of_it(
    live_server: Any, log_in: LogIn, settings: Any
) -> None:
    settings.TRAINING_BASES = {}
    project = factories.make_project(name="Algebra")
    labeled_round(project)
    page = log_in(factories.make_member(project, "admin", display_name="Bea"))
    home = f"{live_server.url}/projects/{project.slug}"
    page.goto(home)
    block = page.get_by_role("region", name="What more labels would teach")
    expect(block).to_contain_text("Not measured yet.")
    block.get_by_role("button", name="Train when a round closes").click()
    expect(block).to_contain_text("there is no base model here. An operator must name one in TRAINING_BASES")
    page.goto(f"{home}/settings")
    expect(page.get_by_role("switch", name="Train on all labels when a round closes")).to_be_checked()

    second = Round.objects.get(project=project, status="labeling")
    submit_one(project, [1, 1, 1])
    page.goto(f"{home}/rounds/{second.pk}")
    page.get_by_role("button", name="Close round").click()
    expect(page.get_by_role("dialog")).to_contain_text(
        "No training starts with it. There is no base model to train from."
    )
    page.get_by_role("button", name="Close for good").click()
    expect(page.get_by_text("A training on all labels will start within half a minute")).to_be_visible()
    sweep_closes()
    page.reload()
    expect(page.get_by_text("No training started when the round was closed")).to_be_visible()
    page.goto(home)
    expect(block).to_contain_text("No training started at the close of round 2. No base model is set up here.")

    settings.TRAINING_BASES = {"Tiny": "tiny"}
    Round.objects.filter(pk=second.pk).update(training_due=True, training_error="")
    page.goto(f"{home}/rounds/{second.pk}")
    expect(page.get_by_text("will start within half a minute")).to_be_visible()
    assert sweep_closes() == 1
    page.get_by_role("link", name="After round 2").wait_for()  # automatically, in place of what was about to begin
    expect(page.get_by_text("will start within half a minute")).to_have_count(0)
    page.goto(home)
    expect(block).to_contain_text("Training at the close of round 2: Waiting for a worker of the queue gpu.")
    done = {"status": "succeeded", "finished_at": timezone.now(), "report": {"learning_curve": curve_of(12)}}
    TrainingRun.objects.update(**done)
    page.reload()
    chart = page.get_by_role("figure", name="What more labels would teach")
    expect(chart).to_contain_text("Measured at the close of round 2 by After round 2")
    page.get_by_role("navigation", name="Project").get_by_role("link", name="Models").click()
    expect(page.get_by_text("After round 2 learned, at the close of round 2")).to_be_visible()


def submit_one(project: Project, ratings: list[int | None]) -> None:
    label = labels.claim_next_label(factories.make_member(project), project).label
    assert label is not None
    labels.submit_label(label, factories.make_submission(ratings))
