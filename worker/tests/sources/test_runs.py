"""Sources run over traces: the marks, their cost, and what happens when a run is stopped or its worker dies."""

import time
from dataclasses import replace
from functools import partial
from types import SimpleNamespace

import pytest

from labeling import queries
from labeling.actions import source_runs
from labeling.actions.labels import claim_next_label, submit_label
from labeling.configs import ConsensusConfig, JudgeConfig, TraceFilter, VerifierConfig
from labeling.errors import BudgetTooLow, NothingToMark, SourceNameTaken, SourceRunOver, SourcesToRunFirst
from labeling.grading.process_pool import GradingPool
from labeling.models import Label, Score, SourceChunk, SourceRun, SourceText, StepLabel, Trace
from labeling.queries.source_calibration import calibration
from labeling.sources.verifier import VERSION
from labeling.tests.accounts import Browser
from labeling.tests.factories import make_member, make_project, make_submission, open_round
from labeling.tests.sources.world import complete, judge, make, rollouts, sampling, wrong_traces
from worker.marking import mark_chunk
from worker.tests.generation.chat_server import Trouble, running
from worker.tests.generation.world import use

pytestmark = pytest.mark.django_db(transaction=True)


@pytest.fixture(scope="module")
def grade():
    with GradingPool(processes=1) as pool:
        yield pool.grade


def work(run, grade, chunks=None):
    """Do the workers' part of a run's chunks, until none waits."""
    for chunk in chunks if chunks is not None else SourceChunk.objects.filter(run=run, status="queued").order_by("pk"):
        source_runs.run_chunk(chunk.pk, partial(mark_chunk, grade=grade))
    run.refresh_from_db()
    return run


def marks(source):
    return {score.trace_id: score for score in Score.objects.filter(scorer=source)}


def test_rollouts_find_the_errors_of_a_completer_whose_rates_are_known(settings, grade):
    project = make_project()
    traces = wrong_traces(project, 6, 0, None, 3)
    spent = {}
    with running(complete) as server:
        use(settings, server, in_flight=8)
        for strategy in ("everywhere", "bisect", "adaptive", "tree"):
            source = rollouts(project, strategy=strategy, budget=24)
            planned = source_runs.estimate(project, source, TraceFilter())
            assert (planned["seconds"] is None) is (strategy == "everywhere"), "nothing was asked before the first"
            run = work(source_runs.start_run(project, source, by=None, wake=False), grade)
            assert (run.status, run.traces_done, run.error) == ("succeeded", 4, "")
            found = marks(source)
            assert [found[trace.pk].evidence["first_error"] for trace in traces] == [6, 0, -1, 3], strategy
            assert 0 < run.calls <= planned["calls"]
            assert run.tokens_in > 0
            assert run.estimated
            spent[strategy] = run.calls
    newest, *_ = Browser(make_member(project, "researcher")).call("GET", f"/api/projects/{project.slug}/source_runs")[
        "results"
    ]
    assert 0 < newest["worker_seconds"] < 60
    other = make(project, "other", replace(source_runs.config_of(source), n=3))
    told = source_runs.estimate(project, other, TraceFilter())
    assert told["seconds"] == pytest.approx(told["calls"] * newest["worker_seconds"] / spent["tree"])
    assert spent["bisect"] < spent["everywhere"] / 2
    assert spent["adaptive"] < spent["everywhere"] / 2
    plain = marks(named(project, "everywhere"))[traces[0].pk]
    assert list(plain.steps) == [1.0] * 6 + [0.0, 0.0]
    assert plain.evidence["progress"][6] == {"before": 1.0, "after": 0.0, "difference": -1.0}
    assert plain.evidence["grader_version"]
    texts = queries.sources.texts_of(plain.scorer, traces[0])
    assert len(texts) == 4 * 8
    assert {one["outcome"] for one in texts} == {"correct", "wrong"}
    assert source_runs.prune_texts(plain.scorer, by=None) == 4
    assert SourceText.objects.filter(scorer=plain.scorer).count() == 0
    assert Score.objects.filter(scorer=plain.scorer).count() == 4


def named(project, name):
    return queries.sources.sources_of(project).get(name=name)


def test_a_traces_prefixes_are_asked_together_and_no_request_waits_for_a_grade(settings, grade):
    project = make_project()
    wrong_traces(project, 3, 5)
    in_flight, seen = 6, 0

    def slow(questions):
        nonlocal seen
        questions = list(questions)
        seen += len(questions) / 4  # rollouts per request, no two of which are alike
        for _ in range(500):
            if len(server.bodies) >= min(16, seen + in_flight / 2):
                return grade(questions)
            time.sleep(0.01)
        raise AssertionError(f"{len(server.bodies)} requests, {seen} of which are being graded")

    with running(lambda prompt, seed: (f"By {seed}: {complete(prompt, seed)[0]}", "stop")) as server:
        server.delay = 0.02
        use(settings, server, in_flight=in_flight, batch=4)
        run = work(source_runs.start_run(project, rollouts(project), by=None, wake=False), slow)
        assert (run.status, run.traces_done, len(server.bodies), seen) == ("succeeded", 2, 2 * 8, 2 * 8)
        assert server.most_at_once > 2, "more than there are traces"


def test_a_budget_ends_a_run_before_it_is_far_passed_and_a_higher_one_goes_on(settings, grade):
    project = make_project()
    wrong_traces(project, *[3] * 6)
    with running(complete) as server:
        use(settings, server, in_flight=1, batch=4)
        source = rollouts(project)
        run = source_runs.start_run(project, source, by=None, token_budget=1500, wake=False)
        run = work(run, grade)
        assert run.status == "over_budget"
        used = run.tokens_in + run.tokens_out
        assert 1500 <= used < 2200  # requests in the air when it ended
        assert 0 < run.traces_done < 6
        asked = len(server.bodies)
        work(run, grade)
        assert len(server.bodies) == asked
        admin = make_member(project, "admin")
        with pytest.raises(BudgetTooLow):
            source_runs.resume_run(run, by=admin, token_budget=used)
        run = work(source_runs.resume_run(run, by=admin, token_budget=10**6), grade)
    assert (run.status, run.traces_done) == ("succeeded", 6)
    assert Score.objects.filter(scorer=source).count() == 6
    money = source_runs.estimate(project, rollouts(project, strategy="bisect"), TraceFilter())
    assert money["cost"] == pytest.approx((money["tokens_in"] + 2 * money["tokens_out"]) / 1e6)


def test_a_chunk_whose_worker_died_is_gone_on_with_and_no_trace_is_marked_twice(settings, grade):
    project = make_project()
    wrong_traces(project, 1, 2, 3, steps=4)

    class Died(BaseException):
        pass

    with running(complete) as server:
        use(settings, server, in_flight=1, batch=4)
        source = rollouts(project)
        run = source_runs.start_run(project, source, by=None, wake=False)
        [chunk] = run.chunks.all()

        def die(question_list):
            if Score.objects.filter(scorer=source).exists():
                raise Died
            return grade(question_list)

        with pytest.raises(Died):
            source_runs.run_chunk(chunk.pk, partial(mark_chunk, grade=die))
        done = set(marks(source))
        assert 0 < len(done) < 3
        SourceChunk.objects.update(leased_until="2020-01-01T00:00Z")
        run = work(run, grade, [chunk])
    assert (run.status, run.traces_done) == ("succeeded", 3)
    assert done < set(marks(source))
    with pytest.raises(NothingToMark):
        source_runs.start_run(project, source, by=None)
    with pytest.raises(SourceRunOver):
        source_runs.cancel_run(run, by=make_member(project, "admin"))


def test_a_judge_that_writes_what_postgres_cannot_keep_or_python_cannot_count_is_unread_or_read(settings, grade):
    project = make_project()
    odd, huge = wrong_traces(project, 0, 1, steps=4)
    words = {"Step 0 is off": "Nul \x00, half \ud800: \\boxed{0}", "Step 1 is off": f"\\boxed{{{'9' * 5000}}}"}
    with running(lambda prompt, seed: (next(said for off, said in words.items() if off in prompt), "stop")) as server:
        use(settings, server)
        source = judge(project, votes=1)
        run = work(source_runs.start_run(project, source, by=None, wake=False), grade)
    assert (run.status, run.calls) == ("succeeded", 2)
    found = marks(source)
    assert found[odd.pk].evidence["first_error"] == 0
    assert [text["text"] for text in queries.sources.texts_of(source, odd)] == ["Nul , half \ufffd: \\boxed{0}"]
    assert found[huge.pk].steps is None
    assert found[huge.pk].evidence["unread"][0]["why"] == "an index of 5,000 digits"


def test_what_a_judges_server_refuses_is_no_word_of_the_judge_and_where_it_refuses_all_nothing_is_marked(
    settings, grade
):
    project = make_project()
    first, second = wrong_traces(project, 0, 1, steps=4)
    refusal = Trouble(400, b'{"error": "max_tokens is too large"}')
    with running(complete) as server:
        use(settings, server, in_flight=1)
        source = judge(project, votes=1)
        run = source_runs.start_run(project, source, by=None, wake=False)
        server.troubles.extend([refusal] * 3)  # the first request is repeated without `stream_options`
        run = work(run, grade)
        assert (run.status, marks(source)) == ("failed", {})
        assert "refused every request" in run.error
        assert "max_tokens is too large" in run.error
        server.troubles.extend([refusal] * 2)
        run = work(source_runs.resume_run(run, by=make_member(project, "admin")), grade)
    assert run.status == "succeeded"
    reasons = [marks(source)[trace.pk].reason for trace in (first, second)]
    assert reasons == ["unread", ""]
    assert "max_tokens is too large" in marks(source)[first.pk].evidence["unread"][0]["why"]
    assert queries.sources.texts_of(source, first) is None


def test_a_generator_that_is_away_fails_the_run_in_words_and_the_run_can_go_on(settings, grade):
    project = make_project()
    wrong_traces(project, 1, steps=2)
    settings.GENERATORS = {}
    source = judge(project)
    run = work(source_runs.start_run(project, source, by=None, wake=False), grade)
    assert run.status == "failed"
    assert "has no generator qwen" in run.error
    with running(complete) as server:
        use(settings, server)
        run = work(source_runs.resume_run(run, by=make_member(project, "admin")), grade)
    assert run.status == "succeeded"


def test_judges_votes_and_words_are_kept_and_a_consensus_says_what_it_drops(settings, grade):
    project = make_project()
    first, second = wrong_traces(project, 2, None, steps=4)

    def wavering(prompt, seed):
        if "paragraph_0" in prompt and "You reviewed it before" not in prompt and "is off" in prompt:
            return "\\boxed{1}", "stop"  # changes its mind when asked again
        return complete(prompt, seed)

    with running(wavering) as server:
        use(settings, server)
        one = judge(project, votes=3)
        early = make(project, "early", ConsensusConfig((one.pk, rollouts(project, strategy="bisect").pk)))
        with pytest.raises(SourcesToRunFirst) as nothing:
            source_runs.start_run(project, early, by=None, wake=False)
        assert str(nothing.value).startswith("Not marked yet by judge (2 traces), bisect (2 traces). Have them mark")
        run = work(source_runs.start_run(project, one, by=None, wake=False), grade)
        assert run.calls == 6
        again = make(project, "stable", JudgeConfig(source_runs.config_of(one).judge, 1, again=3))
        work(source_runs.start_run(project, again, by=None, wake=False), grade)
        rolled = rollouts(project)
        work(source_runs.start_run(project, rolled, by=None, wake=False), grade)
    assert marks(one)[first.pk].evidence["votes"] == [1, 1, 1]
    assert [text["text"] for text in queries.sources.texts_of(one, first)] == ["\\boxed{1}"] * 3
    assert marks(again)[first.pk].evidence["first_error"] == 2
    assert marks(again)[first.pk].evidence["turns"] == [3]
    waits = source_runs.estimate(project, early, TraceFilter())
    assert (waits["traces"], waits["waits_for"]) == (0, [{"source": "bisect", "traces": 2}])
    both = make(project, "both", ConsensusConfig((one.pk, rolled.pk)))
    Score.objects.filter(scorer=rolled, trace=second).update(scorer=early)  # as if it had not reached this one yet
    found = source_runs.estimate(project, both, TraceFilter())
    assert (found["traces"], found["waits_for"]) == (1, [{"source": "everywhere", "traces": 1}])
    Score.objects.filter(scorer=early).update(scorer=rolled)
    work(source_runs.start_run(project, both, by=None, wake=False), grade)
    dropped, kept = marks(both)[first.pk], marks(both)[second.pk]
    assert (dropped.steps, dropped.reason) == (None, "they differ: judge step 2, everywhere step 3")
    assert kept.evidence["first_error"] == -1


def test_a_judge_is_asked_again_until_it_says_the_same_twice_and_no_longer_than_it_may(settings, grade):
    project = make_project()
    traces = wrong_traces(project, None, 0, 1, 2, steps=4)
    turns = {  # by the step that is off: what is said turn by turn
        "Step 0 is off": ["\\boxed{3}", "I cannot tell.", "\\boxed{0}", "\\boxed{0}", "never asked for"],
        "Step 1 is off": ["\\boxed{1}", "\\boxed{1}", "never asked for"],
        "Step 2 is off": ["\\boxed{1}", "\\boxed{2}", "\\boxed{1}", "\\boxed{2}", "\\boxed{1}"],
    }
    asked = dict.fromkeys(turns, 0)

    def wavering(prompt, seed):
        for off, said in turns.items():
            if off in prompt:
                asked[off] += 1
                before = said[asked[off] - 2] if asked[off] > 1 else None
                assert before is None or f"You reviewed it before, and wrote:\n\n{before}" in prompt
                return said[asked[off] - 1], "stop"
        return "\\boxed{-1}", "stop"

    with running(wavering) as server:
        use(settings, server, in_flight=4)
        config = JudgeConfig(sampling("processbench/1", max_tokens=64), 1, again=4)
        source = make(project, "stable", config)
        planned = source_runs.estimate(project, source, TraceFilter())
        run = work(source_runs.start_run(project, source, by=None, wake=False), grade)
    found = marks(source)
    told = [(found[one.pk].evidence["turns"], found[one.pk].evidence["first_error"]) for one in traces]
    assert told == [([2], -1), ([4], 0), ([2], 1), ([5], 1)]  # the last never settles: its last word counts
    assert run.calls == 2 + 4 + 2 + 5
    assert planned["calls"] == 4 * 5
    words = queries.sources.texts_of(source, traces[1])
    assert [one["text"] for one in words] == turns["Step 0 is off"][:4]


def test_checks_of_new_traces_are_shown_to_researchers_and_to_a_labeler_only_once_they_have_submitted(grade):
    project = make_project(reveal_scores=True)
    [trace] = wrong_traces(project, None, steps=3)
    trace.steps = ["12 x 7 = 86.", "$\\sqrt{8} = 3\\sqrt{2}$", "So it is 86."]
    trace.save()
    assert source_runs.verify_new_traces(project, by=None) is not None
    run = work(SourceRun.objects.get(), grade)
    assert source_runs.verify_new_traces(project, by=None) is None  # nothing is new
    [mark] = marks(run.scorer).values()
    assert mark.evidence["words"][0][0] == "12 x 7 = 86 does not hold (84)"
    assert mark.evidence["words"][1][0] == "\\sqrt{8} = 3\\sqrt{2} does not hold"
    assert (mark.evidence["first_error"], list(mark.steps)) == (0, [0.0, 0.0, None])
    open_round(project)
    labeler = make_member(project)
    label = claim_next_label(labeler, project).label
    browser = Browser(labeler)
    assert "hold" not in str(browser.call("GET", f"/api/labels/{label.pk}"))
    browser.call("POST", f"/api/labels/{label.pk}/reveal", status=403)
    submit_label(label, make_submission())
    assert not StepLabel.objects.filter(rating=-1).exists()
    revealed = browser.call("POST", f"/api/labels/{label.pk}/reveal")
    assert revealed["scores"] == []
    assert revealed["checks"] == mark.evidence["words"]
    assert Label.objects.get().scores_revealed_at is not None
    researcher = Browser(make_member(project, "researcher"))
    [told] = researcher.call("GET", f"/api/traces/{trace.pk}/machine_marks")["results"]
    assert told["words"] == mark.evidence["words"]
    assert researcher.call("GET", f"/api/traces/{trace.pk}")["scores"] == []


def test_calibration_tells_what_people_found_and_why_it_cannot_where_it_cannot(settings, grade):
    project = make_project()
    traces = wrong_traces(project, *[1] * 6, *[None] * 6, steps=3)
    researcher = make_member(project, "researcher")
    source = judge(project)
    nothing = calibration(researcher, project, source)
    assert nothing["not_measurable"].startswith("There is no trace that this source has marked")
    assert all(figure["value"] is None and figure["why"] for figure in nothing["figures"])
    with running(complete) as server:
        use(settings, server)
        work(source_runs.start_run(project, source, by=None, wake=False), grade)
        rolled = rollouts(project)
        work(source_runs.start_run(project, rolled, by=None, wake=False), grade)
    open_round(project)
    labeler = make_member(project)
    said = {trace.pk: [1, -1, None] if trace.outcome == "wrong" else [1, 1, 1] for trace in traces}
    said[traces[0].pk] = [1, 1, 1]  # people find no error where both machines do
    Trace.objects.filter(pk=traces[0].pk).update(outcome="ungraded")
    while (label := claim_next_label(labeler, project).label) is not None:
        submit_label(label, make_submission(said[label.task.trace_id]))
    found = calibration(researcher, project, source, other=rolled)
    figures = {figure["name"]: figure for figure in found["figures"]}
    assert found["traces"] == 12
    assert figures["first_error_accuracy"]["value"] == pytest.approx(11 / 12)
    assert figures["accuracy_on_erroneous"]["value"] == 1.0
    assert figures["accuracy_on_error_free"]["value"] == pytest.approx(6 / 7)
    assert figures["processbench_f1"]["value"] == pytest.approx(2 * 6 / 7 / (1 + 6 / 7))
    assert figures["first_error_accuracy"]["low"] < 11 / 12 < figures["first_error_accuracy"]["high"]
    assert [(one["trace"], one["people"], one["said"]) for one in found["failures"]] == [(traces[0].pk, -1, 1)]
    assert found["three_way"]["counts"] == {
        **dict.fromkeys(("this_and_people", "other_and_people", "all_differ"), 0),
        "all": 11,
        "both_against_people": 1,
    }
    shares = {one["name"]: one for one in found["three_way"]["shares"]}
    assert shares["all"]["value"] == pytest.approx(11 / 12)
    assert 0 == shares["all_differ"]["value"] == shares["all_differ"]["low"] < shares["all_differ"]["high"] < 0.5
    assert found["more_labels"] == 36
    assert {group["group"] for group in found["groups"]["place"]} == {"no error", "middle third"}
    assert all(group["figures"][3]["why"] for group in found["groups"]["place"])  # there is no F1 with only one kind


def test_a_source_is_made_once_and_only_of_what_there_is(settings):
    project = make_project()
    settings.GENERATORS = {"qwen": SimpleNamespace(models=("q7",))}
    browser = Browser(make_member(project, "researcher"))
    address = f"/api/projects/{project.slug}/sources"
    asked = {"generator": "qwen", "model": "q8", "prompt": "processbench/1"}

    def create(status=400, **changes):
        body = {"name": "j", "kind": "judge", "judge": {"judge": {**asked, **changes}}}
        return browser.call("POST", address, body, status=status)

    assert "does not offer q8" in str(create())
    assert "Put {problem} and {solution}" in str(create(prompt="?"))
    assert create(201, model="q7")["settings"]["votes"] == 1
    with pytest.raises(SourceNameTaken):
        make(project, "j", VerifierConfig(VERSION))
    wrong_traces(project, 1, steps=2)
    body = {"prompt": "Look: {problem} {solution}", "answer": "so \\boxed{7}"}
    seen = browser.call("POST", f"{address}/preview", body)
    assert "<paragraph_1>\nStep 1 is off." in seen["text"]
    assert seen["why"] == "index 7 of a solution with 2 steps"
