"""A round from its start to its preview: what each stage does, and what pressing a button twice does."""

import threading
from uuid import uuid4

import pytest
from django.db import connection, connections

from labeling.actions.labels import claim_next_label
from labeling.actions.round_stages import move_on
from labeling.actions.rounds import cancel_round, close_round, open_round, pause_round, publish_round, resume_round
from labeling.errors import NothingToQueue, PrmNotReady, RoundNotInStatus, RoundRunning
from labeling.models import AuditEvent, Round, RoundChunk, Score, StepScorer, Trace
from labeling.selection import sketches_of
from labeling.tests.factories import make_member, make_project
from worker.prm.scoring import LocalScorer
from worker.scoring_chunks import load
from worker.tests.rounds.world import (
    let_leases_end,
    make_prm,
    make_samples,
    project_with_samples,
    run_task,
    scores_of,
    set_chunk,
    start,
    work,
)

pytestmark = pytest.mark.django_db(transaction=True)
CLASSIFIER = {"family": "step_classifier", "path": "classifier"}


def test_a_round_is_graded_scored_and_selected_and_then_waits_for_a_person():
    project = make_project()
    traces = make_samples(project, problems=3, samples=6)
    prm = make_prm(CLASSIFIER)
    round_ = work(start(project, prm, grade=True))
    assert (round_.status, round_.error) == ("ready", "")
    by_outcome = {trace.final_answer == trace.problem.answer: trace for trace in traces}
    assert Trace.objects.get(pk=by_outcome[True].pk).outcome == "correct"
    assert Trace.objects.get(pk=by_outcome[False].pk).outcome == "wrong"
    assert set(scores_of(prm)) == {trace.pk for trace in traces}
    assert set(Score.objects.values_list("outcome", flat=True)) == {"correct", "wrong"}
    assert round_.tasks.count() == round_.task_count == 6, "two of each problem"
    assert round_.opened_at is None
    assert round_.config["inputs"]["problems"] == 3
    assert round_.config["inputs"]["last_trace_id"] == traces[-1].pk
    done = RoundChunk.objects.filter(round=round_).values_list("stage", "status", "total", "done")
    assert sorted(done) == [
        ("grading", "done", 18, 18),
        ("scoring", "done", 18, 18),
        ("selecting", "done", 0, 6),
    ]


def test_the_scores_are_those_of_the_prm_and_know_their_trace():
    project = project_with_samples(problems=2)
    prm = make_prm(CLASSIFIER)
    work(start(project, prm))
    for score in Score.objects.select_related("trace__problem"):
        assert (score.project_id, score.problem_id) == (project.pk, score.trace.problem_id)
        assert score.outcome == score.trace.outcome
        assert score.draw == int.from_bytes(bytes(score.trace.trace_hash)[:8], "big", signed=True)
        assert [bytes(score.sketch)] == sketches_of(["\n".join(score.trace.steps)])
        assert len(score.steps) == len(score.trace.steps)
        assert score.exact


def test_a_chunk_counts_the_tokens_that_were_computed_a_shared_beginning_once():
    project = project_with_samples(problems=2)
    prm = make_prm(CLASSIFIER)
    (chunk,) = work(start(project, prm)).chunks.filter(stage="scoring")
    scorer = load(prm).scorer
    assert isinstance(scorer, LocalScorer)
    beginnings = set()
    for trace in Trace.objects.filter(project=project).select_related("problem"):
        rendered = scorer.render(trace.problem.text, trace.steps)
        assert not isinstance(rendered, str)
        beginnings |= {(trace.problem_id, tuple(rendered.ids[:end])) for end in range(1, len(rendered.ids) + 1)}
    assert chunk.tokens == len(beginnings) > 0


def test_the_same_weights_under_two_names_give_each_prm_its_own_scores():
    project = project_with_samples(problems=2)
    first, second = make_prm(CLASSIFIER, "first"), make_prm(CLASSIFIER, "second")
    assert first.fingerprint == second.fingerprint, "one worker has both in memory as one"
    cancel_round(work(start(project, first)), by=None)
    again = work(start(project, second))
    assert (again.status, again.selection["fell_back_to_random"]) == ("ready", False)
    assert scores_of(second) == scores_of(first)
    assert len(scores_of(second)) == 12


def test_scores_are_kept_for_the_next_round_with_the_same_prm():
    project = project_with_samples(problems=2)
    prm = make_prm(CLASSIFIER)
    cancel_round(work(start(project, prm)), by=None)
    before = scores_of(prm)
    make_samples(project, problems=1, outcome="wrong")
    again = work(start(project, prm))
    assert again.status == "ready"
    (chunk,) = again.chunks.filter(stage="scoring")
    assert chunk.total == 6, "only the new ones"
    assert before.items() <= scores_of(prm).items()


def test_a_trace_that_no_prm_takes_has_a_row_with_the_reason():
    project = project_with_samples(problems=1)
    (bad,) = make_samples(project, problems=1, samples=1, outcome="wrong")
    Trace.objects.filter(pk=bad.pk).update(steps=["word " * 600])
    prm = make_prm(CLASSIFIER)
    assert work(start(project, prm)).status == "ready"
    score = Score.objects.get(trace=bad)
    assert (score.score, score.steps) == (None, None)
    assert "tokens; the model takes at most 512" in score.reason


def test_the_best_of_each_problem_are_scored_again_in_float32():
    project = project_with_samples(problems=2)
    prm = make_prm({**CLASSIFIER, "dtype": "bfloat16"})
    work(start(project, prm, rescore=2))
    for problem in project.problems.all():
        rows = Score.objects.filter(problem=problem).order_by("-score")
        assert rows.filter(exact=True).count() == 2
    exact = make_prm(CLASSIFIER)
    cancel_round(Round.objects.get(), by=None)
    work(start(project, exact))
    for row in Score.objects.filter(scorer=prm, exact=True):
        twin = Score.objects.get(scorer=exact, trace=row.trace_id)
        assert row.score == pytest.approx(twin.score, abs=1e-5)


def test_only_train_problems_that_are_not_bad_and_fit_the_filter_are_looked_at():
    project = project_with_samples(problems=1, generator="good")
    for name, fields in {"held out": {"split": "held_out"}, "bad": {"status": "bad"}}.items():
        (trace,) = make_samples(project, problems=1, samples=1, generator="good", source=name, outcome="wrong")
        type(trace.problem).objects.filter(pk=trace.problem_id).update(**fields)
    make_samples(project, problems=1, samples=1, generator="other", outcome="wrong")
    prm = make_prm(CLASSIFIER)
    round_ = work(start(project, prm, filter={"generator": "good"}))
    assert round_.status == "ready"
    assert Score.objects.count() == 6
    assert not Score.objects.exclude(trace__generator="good").exists()


def test_a_trace_that_came_after_the_start_of_grading_waits_for_the_next_round():
    project = project_with_samples(problems=1)
    prm = make_prm(CLASSIFIER)
    round_ = start(project, prm)
    assert move_on(round_.pk) == "scoring"
    late = make_samples(project, problems=1, samples=1, outcome="wrong")
    work(round_)
    assert not Score.objects.filter(trace=late[0]).exists()
    assert not round_.tasks.filter(trace=late[0]).exists()


def test_a_round_without_a_prm_is_a_random_choice_and_says_so():
    project = project_with_samples(problems=2)
    round_ = work(start(project, None))
    assert round_.status == "ready"
    assert set(round_.tasks.values_list("reason", flat=True)) == {"random"}
    assert round_.selection["fell_back_to_random"] is True


def test_an_outcome_that_is_there_is_not_graded_again():
    project = make_project()
    traces = make_samples(project, problems=1, samples=3, outcome="wrong")
    round_ = work(start(project, make_prm(CLASSIFIER), grade=True))
    assert round_.status == "ready"
    assert set(Trace.objects.filter(pk__in=[t.pk for t in traces]).values_list("outcome", "grader_version")) == {
        ("wrong", "")
    }


def test_a_round_that_leaves_nothing_fails_with_what_was_left_out():
    project = make_project()
    make_samples(project, problems=1, samples=2)  # ungraded, and no grading is requested
    round_ = work(start(project, make_prm(CLASSIFIER)))
    assert round_.status == "failed"
    assert round_.resume_to == "scoring"
    assert "No trace could be selected. Left out: ungraded 2." in round_.error


def test_one_round_of_a_project_runs_at_a_time_however_many_start_at_once():
    project, other = project_with_samples(problems=1), project_with_samples(problems=1)
    prm = make_prm(CLASSIFIER)
    answers: list[object] = []

    def press() -> None:
        try:
            answers.append(start(project, prm).pk)
        except RoundRunning as refused:
            answers.append(refused.extra["round"])
        finally:
            connections.close_all()

    at_once([press] * 6)
    assert Round.objects.filter(project=project).count() == 1
    assert sorted(map(str, answers)) == sorted(["1"] * 5 + [str(Round.objects.get(project=project).pk)])
    assert start(other, prm).number == 1


def test_the_same_key_again_is_the_same_round_however_many_press_at_once():
    project, key = project_with_samples(problems=1), uuid4()
    prm = make_prm(CLASSIFIER)
    found: list[int] = []

    def press() -> None:
        found.append(start(project, prm, client_key=key).pk)
        connections.close_all()

    at_once([press] * 5)
    assert len(found) == 5
    assert len(set(found)) == Round.objects.count() == 1
    assert AuditEvent.objects.filter(action="round.start").count() == 1


def test_a_round_with_nothing_to_choose_from_or_an_unchecked_prm_is_refused():
    project = make_project()
    prm = make_prm(CLASSIFIER)
    with pytest.raises(NothingToQueue):
        start(project, prm)
    make_samples(project, problems=1)
    for status, words in {"unchecked": "no worker has checked it yet", "retired": "it is retired"}.items():
        StepScorer.objects.filter(pk=prm.pk).update(status=status)
        prm.refresh_from_db()
        with pytest.raises(PrmNotReady, match=words):
            start(project, prm)


def test_a_paused_round_stops_and_goes_on_where_it_was(monkeypatch):
    set_chunk(monkeypatch, "scoring", 6)
    project = project_with_samples(problems=3)
    prm = make_prm(CLASSIFIER)
    round_ = start(project, prm)
    by = make_member(project, "researcher")
    assert move_on(round_.pk) == "scoring"
    pause_round(round_, by=by)
    pause_round(round_, by=by)
    run_task("worker.run_chunks", round_.pk, "scoring")
    run_task("worker.advance_round", round_.pk)
    assert not Score.objects.exists()
    assert Round.objects.get().status == "paused"
    resume_round(round_, by=by)
    resume_round(round_, by=by)
    assert work(round_).status == "ready"
    assert Score.objects.count() == 18
    actions = AuditEvent.objects.filter(project=project, actor=by).values_list("action", flat=True)
    assert sorted(actions) == ["round.pause", "round.resume"]


def test_a_paused_round_does_not_come_back_beside_another_that_runs():
    project = project_with_samples(problems=1)
    prm = make_prm(CLASSIFIER)
    first = start(project, prm)
    pause_round(first, by=None)
    start(project, prm)
    with pytest.raises(RoundRunning, match="Round 2"):
        resume_round(first, by=None)
    assert Round.objects.get(pk=first.pk).status == "paused"


def test_a_cancelled_round_does_nothing_more_and_leaves_room_for_the_next():
    project = project_with_samples(problems=1)
    prm = make_prm(CLASSIFIER)
    round_ = start(project, prm)
    move_on(round_.pk)
    cancel_round(round_, by=None)
    cancel_round(round_, by=None)
    work(round_)
    assert Round.objects.get().status == "cancelled"
    assert not Score.objects.exists()
    with pytest.raises(RoundNotInStatus):
        resume_round(round_, by=None)
    assert work(start(project, prm)).status == "ready"


def test_publishing_serves_the_tasks_once_and_nothing_is_served_before():
    project = project_with_samples(problems=2)
    labeler = make_member(project)
    round_ = start(project, make_prm(CLASSIFIER))
    with pytest.raises(RoundNotInStatus):
        publish_round(round_, by=None)
    work(round_)
    assert claimed(labeler, project) is None
    first = publish_round(round_, by=None).opened_at
    assert publish_round(round_, by=None).opened_at == first
    assert AuditEvent.objects.filter(action="round.publish").count() == 1
    assert claimed(labeler, project) is not None
    with pytest.raises(RoundNotInStatus, match="Close it instead"):
        cancel_round(round_, by=None)
    assert close_round(round_, by=None).status == "closed"
    assert close_round(round_, by=None).status == "closed"


def claimed(person, project):
    return claim_next_label(person, project).label


def test_a_plain_round_is_paused_and_resumed_as_before_while_another_is_being_prepared():
    project = project_with_samples(problems=1)
    plain = open_round(project, by=None)
    start(project, make_prm(CLASSIFIER))
    pause_round(plain, by=None)
    assert resume_round(plain, by=None).status == "labeling"


def at_once(presses) -> None:
    """Run all in separate threads."""
    threads = [threading.Thread(target=press) for press in presses]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    connection.close_if_unusable_or_obsolete()


def test_a_lost_message_is_found_by_the_sweep_and_a_doubled_one_changes_nothing():
    project = project_with_samples(problems=2)
    prm = make_prm(CLASSIFIER)
    round_ = start(project, prm)
    run_task("worker.advance_round", round_.pk)
    run_task("worker.advance_round", round_.pk)
    assert round_.chunks.count() == 1
    for _ in range(3):
        run_task("worker.run_chunks", round_.pk, "scoring")
        run_task("worker.run_chunks", round_.pk, "grading")
    let_leases_end(round_)
    work(round_)
    run_task("worker.run_chunks", round_.pk, "selecting")
    run_task("worker.run_chunks", round_.pk, "scoring")
    round_.refresh_from_db()
    assert (round_.status, Score.objects.count()) == ("ready", 12)
    assert round_.tasks.count() == 4
