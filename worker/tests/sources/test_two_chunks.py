"""One worker on several chunks of a run: nothing is requested twice, lost, or spent beyond the budget."""

import re
import threading

import pytest

from labeling.actions import source_runs
from labeling.configs import TraceFilter
from labeling.configs.sources import cost_of, sampling_of
from labeling.errors import BudgetTooLow
from labeling.grading.process_pool import GradingPool
from labeling.models import Score, SourceChunk
from labeling.tests.factories import make_member, make_project
from labeling.tests.sources.world import complete, rollouts, wrong_traces
from worker.marking_turn import mark_chunks
from worker.tests.generation.chat_server import running
from worker.tests.generation.world import use

LONG = 300  # seconds; no test waits for them

pytestmark = pytest.mark.django_db(transaction=True)


def test_the_next_chunks_requests_begin_before_the_last_answers_of_the_one_before(settings, monkeypatch):
    monkeypatch.setattr(source_runs, "CHUNK", 2)
    project = make_project()
    wrong_traces(project, *[2] * 6, steps=3)
    begun: set[str] = set()
    enough = threading.Event()

    def held(prompt, seed):
        begun.update(re.findall(r"\$\d+ \+ 1\$", prompt))  # the problem
        if len(begun) > 2:  # more than a chunk's
            enough.set()
        assert enough.wait(60), "the next chunk waited for this answer"
        return complete(prompt, seed)

    with running(held) as server:
        use(settings, server, in_flight=24, batch=8)
        source = rollouts(project)
        run = source_runs.start_run(project, source, by=None, wake=False)
        first, *_ = run.chunks.order_by("pk")
        assert run.chunks.count() == 3
        mark_chunks(first.pk, LONG)
        asked = len(server.bodies)
        mark_chunks(first.pk, LONG)  # a second message finds nothing to do
        assert len(server.bodies) == asked
    run.refresh_from_db()
    assert (run.status, run.traces_done) == ("succeeded", 6)
    assert run.calls == 6 * 3 * 4, "no rollout was asked for twice"
    assert Score.objects.filter(scorer=source).count() == 6


def test_two_chunks_in_hand_keep_one_budget_and_each_others_spending_counts(settings, monkeypatch):
    monkeypatch.setattr(source_runs, "CHUNK", 2)
    project = make_project()
    wrong_traces(project, *[2] * 8, steps=3)
    with running(complete) as server:
        use(settings, server, in_flight=2, batch=4)
        source = rollouts(project)
        run = source_runs.start_run(project, source, by=None, token_budget=1500, wake=False)
        mark_chunks(run.chunks.order_by("pk")[0].pk, LONG)
        run.refresh_from_db()
        asked = len(server.bodies)
        assert run.status == "over_budget"
        used = run.tokens_in + run.tokens_out
        each = used / asked
        assert 1500 <= used <= 1500 + 3 * each, "no more than what was in the air"
        run = source_runs.resume_run(run, by=make_member(project, "admin"), token_budget=10**6)
        mark_chunks(run.chunks.filter(status="queued").order_by("pk")[0].pk, LONG)
    run.refresh_from_db()
    assert (run.status, run.traces_done) == ("succeeded", 8)
    assert Score.objects.filter(scorer=source).count() == 8


def test_a_budget_of_money_holds_over_two_chunks_and_what_was_finished_is_kept(settings, monkeypatch):
    monkeypatch.setattr(source_runs, "CHUNK", 2)
    project = make_project()
    wrong_traces(project, *[2] * 8, steps=3)
    admin = make_member(project, "admin")
    with running(complete) as server:
        use(settings, server, in_flight=2, batch=4)
        source = rollouts(project)
        planned = source_runs.estimate(project, source, TraceFilter())["cost"]
        run = source_runs.start_run(project, source, by=None, money_budget=planned / 14, wake=False)
        mark_chunks(run.chunks.order_by("pk")[0].pk, LONG)
        run.refresh_from_db()
        asked = len(server.bodies)
        prompts = {body["messages"][0]["content"] for body in server.bodies}
        assert len({re.search(r"\$\d+ \+ 1\$", prompt)[0] for prompt in prompts}) > 2, "more than one chunk's problems"
        assert run.status == "over_budget"
        cost = cost_of(sampling_of(source_runs.config_of(source)), run.tokens_in, run.tokens_out)
        assert planned / 14 <= cost <= planned / 14 + 3 * cost / asked, "no more than what was in the air"
        kept = dict(Score.objects.filter(scorer=source).values_list("trace", "evidence"))
        assert 0 < len(kept) == run.traces_done < 8
        with pytest.raises(BudgetTooLow):
            source_runs.resume_run(run, by=admin, money_budget=cost)
        run = source_runs.resume_run(run, by=admin, money_budget=planned)
        mark_chunks(run.chunks.filter(status="queued").order_by("pk")[0].pk, LONG)
    run.refresh_from_db()
    assert (run.status, run.traces_done) == ("succeeded", 8)
    found = dict(Score.objects.filter(scorer=source).values_list("trace", "evidence"))
    assert len(found) == 8
    assert all(found[pk] == evidence for pk, evidence in kept.items())


def test_a_fault_of_one_chunk_is_raised_and_leaves_both_to_be_gone_on_with(settings, monkeypatch):
    monkeypatch.setattr(source_runs, "CHUNK", 1)
    project = make_project()
    wrong_traces(project, 1, 2, 1, steps=3)

    class Died(BaseException):
        pass

    def die(self, questions):
        raise Died

    with running(complete) as server:
        use(settings, server, in_flight=4, batch=4)
        source = rollouts(project)
        run = source_runs.start_run(project, source, by=None, wake=False)
        first = run.chunks.order_by("pk")[0].pk
        with monkeypatch.context() as broken:
            broken.setattr(GradingPool, "grade", die)
            with pytest.raises(Died):
                mark_chunks(first, LONG)
        assert not Score.objects.filter(scorer=source).exists()
        assert run.chunks.filter(status="running").exists()
        SourceChunk.objects.filter(status="running").update(leased_until="2020-01-01T00:00Z")
        for chunk in run.chunks.order_by("pk"):
            mark_chunks(chunk.pk, LONG)
    run.refresh_from_db()
    assert (run.status, run.traces_done) == ("succeeded", 3)
