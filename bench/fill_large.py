"""Filling a large project: `python -m bench.fill_large --traces 1000000 …`, in the environment of the installation.

Each labeled trace has labels by two people, a tenth of which differ; nine rounds in ten are closed. Every trace has
the scores of one PRM. A summary is printed as JSON.
"""

import argparse
import json
import os
import sys
from collections.abc import Sequence
from typing import Any

import django
from django.db import connection, transaction

django.setup()

from bench.fill import STEPS, TRACES_PER_PROBLEM, UNCHECKED, make_annotators, served  # noqa: E402  # after the set-up
from labeling.actions import rounds  # noqa: E402
from labeling.configs import PlainConfig, TraceFilter  # noqa: E402
from labeling.models import Membership, Project, Promotion, StepScorer, User  # noqa: E402
from labeling.quality.consensus import AskedOverlap  # noqa: E402

ROUNDS = 10
CHUNK = 50_000  # traces
SLOW_INDEXES = ("words_of_traces",)  # created at the end, which is much faster
FILL_PROBLEMS = """
    INSERT INTO labeling_problem (project_id, external_id, text, answer, split, subject, level, source, licence,
        metadata, status, text_hash)
    SELECT %(project)s, 'large-' || n, 'A shop sells ' || n || ' boxes of $k$ pens. How many pens are that?',
        n::text, CASE WHEN n %% 50 = 0 THEN 'held_out' ELSE 'train' END, 'subject ' || n %% 7, (n %% 5)::text, 'bench',
        'none', '{}', 'active', sha256(('large problem ' || n)::bytea)
    FROM generate_series(%(from)s + 1, %(until)s) n
"""
FILL_TRACES = """
    INSERT INTO labeling_trace (project_id, problem_id, external_id, source, generator, sampling, steps,
        final_answer, outcome, grader_version, splitter_version, metadata, trace_hash)
    SELECT problem.project_id, problem.id, '', 'source ' || problem.id %% 5, 'model ' || trace - 1, '{}',
        ARRAY(SELECT 'Step ' || step || ': the shop gives ' || trace || ' pens to every third customer, so that '
            || '$k = ' || step * trace || '$ and ' || md5(problem.id || ':' || trace || ':' || step)
            FROM generate_series(1, %(steps)s) step),
        '42', CASE trace %% 3 WHEN 0 THEN 'correct' ELSE 'wrong' END, '', '', '{}',
        sha256((problem.id || ' large ' || trace)::bytea)
    FROM (SELECT id, project_id FROM labeling_problem WHERE project_id = %(project)s
        ORDER BY id OFFSET %(from)s LIMIT %(problems)s) AS problem CROSS JOIN generate_series(1, %(each)s) trace
"""
# Does the work of the triggers, which UNCHECKED disables, and of the worker that the triggers hand it to.
WORDS = """
    INSERT INTO labeling_tracewords (trace_id, project_id, words)
    SELECT id, project_id, labeling_step_words(steps) FROM labeling_trace WHERE project_id = %(project)s
"""
LETTERS = """
    INSERT INTO labeling_problemletters (problem_id, project_id, text)
    SELECT id, project_id, text FROM labeling_problem WHERE project_id = %(project)s
"""
# A labeler's labels are two minutes apart; a task's second labeler is half a team away from the first.
LABEL_TWICE = """
    INSERT INTO labeling_label (project_id, task_id, labeler_id, problem_id, status, surplus, claimed_at, opened_at,
        submitted_at, finish_reason, verdict, rated_steps, finish_detail, noticed_at_step, confirmations, active_ms,
        other_active_ms, total_ms, client_build, draft_revision, extra)
    SELECT %(project)s, task.id,
        (%(labelers)s::bigint[])[1 + (task.id + %(nth)s * %(half)s) %% cardinality(%(labelers)s::bigint[])],
        trace.problem_id, 'submitted', false, at - interval '2 minutes', at - interval '2 minutes', at,
        CASE WHEN said < 0 THEN 'solution' ELSE 'found_error' END, said,
        CASE WHEN said < 0 THEN %(steps)s ELSE said + 1 END, '{}', nullif(said, -1), '[]',
        14000 + task.id %% 97 * 1000, 3000, 130000, 'bench', 0, '{}'
    FROM labeling_task AS task JOIN labeling_trace AS trace ON trace.id = task.trace_id
    CROSS JOIN LATERAL (SELECT now() - interval '2 minutes' * (task.id %% 20000) AS at,
        CASE WHEN task.id %% 5 = 0 THEN -1 WHEN %(nth)s = 1 AND task.id %% 10 = 3 THEN 4 ELSE 5 END AS said) AS its
    WHERE task.round_id = ANY(%(rounds)s) AND (task.round_id < %(open)s OR task.id %% 2 = 0)
"""
LABEL_STEPS = """
    INSERT INTO labeling_steplabel (label_id, step_index, position, rating, chosen, active_ms, source)
    SELECT label.id, step, 0, CASE step WHEN label.verdict THEN -1 WHEN 2 THEN 0 ELSE 1 END, false, 8000, 'typed'
    FROM labeling_label AS label
    CROSS JOIN generate_series(0, CASE WHEN label.verdict < 0 THEN %(steps)s - 1 ELSE label.verdict END) AS step
    WHERE label.project_id = %(project)s
"""
COUNT_TASKS = """
    UPDATE labeling_task SET labels_wanted = 0
    WHERE round_id = ANY(%(rounds)s) AND id IN (SELECT task_id FROM labeling_label WHERE project_id = %(project)s)
"""
SCORE = """
    INSERT INTO labeling_score (scorer_id, trace_id, project_id, problem_id, outcome, draw, steps, score, reason, exact)
    SELECT %(scorer)s, id, project_id, problem_id, outcome,
        ('x' || encode(substr(trace_hash, 1, 8), 'hex'))::bit(64)::bigint,
        ARRAY(SELECT (0.3 + 0.69 * (abs(hashint8(id * 10 + step)) %% 1000) / 1000)::real
            FROM generate_series(1, %(steps)s) AS step), -0.001 * (id %% 1000), '', FALSE
    FROM labeling_trace WHERE project_id = %(project)s
"""
BIG_SETTLE = """
    UPDATE labeling_task AS task SET settled_at = now(), settlement = CASE WHEN said.least = said.most THEN 'agreed'
            ELSE 'no_consensus' END, verdict = CASE WHEN said.least = said.most THEN said.least END
    FROM (SELECT task_id, min(verdict) AS least, max(verdict) AS most FROM labeling_label
        WHERE project_id = %(project)s GROUP BY task_id) AS said
    WHERE task.id = said.task_id
"""
SETTLE = """
    UPDATE labeling_task AS task SET verdict = CASE WHEN said.least = said.most THEN said.least END,
        settlement = CASE WHEN said.least = said.most THEN 'agreed' ELSE 'no_consensus' END,
        settled_at = CASE WHEN said.least = said.most THEN now() END
    FROM (SELECT task_id, min(verdict) AS least, max(verdict) AS most FROM labeling_label
        WHERE project_id = %(project)s GROUP BY task_id) AS said
    WHERE task.id = said.task_id
"""
INDEXES = "SELECT indexname, indexdef FROM pg_indexes WHERE indexname = ANY(%s)"


def fill_large(traces: int, labels: int, labelers: int) -> dict[str, Any]:
    """Create the project, and an admin who can log in with BENCH_PASSWORD."""
    project = Project.objects.create(slug="large", name="Large")
    people = make_annotators(project, labelers)
    admin = User.objects.create_user("large-admin", password=os.environ.get("BENCH_PASSWORD"))
    Membership.objects.create(project=project, user=admin, role=Membership.Role.ADMIN)
    with connection.cursor() as cursor:
        cursor.execute(INDEXES, [list(SLOW_INDEXES)])
        indexes = cursor.fetchall()
        for name, _ in indexes:
            cursor.execute(f'DROP INDEX "{name}"')
        add_traces(project, 0, labels // 2)
        cursor.execute("VACUUM ANALYZE")
        open_rounds(project)
        label(project, people)
        add_traces(project, labels // 2, traces)
        score(project, by=admin)
        for statement in (WORDS, LETTERS):
            cursor.execute(statement, {"project": project.pk})
        for _, definition in indexes:
            cursor.execute(definition)
        cursor.execute("VACUUM ANALYZE")
    return {"slug": project.slug, "admin": admin.username, "labels": project.labels.count(), **places(project)}


def add_traces(project: Project, start: int, end: int) -> None:
    """Add the traces numbered from `start` to `end`, with their problems."""
    for first in range(start, end, CHUNK):
        last = min(end, first + CHUNK)
        about = {"project": project.pk, "from": first // TRACES_PER_PROBLEM, "until": last // TRACES_PER_PROBLEM}
        about |= {"problems": (last - first) // TRACES_PER_PROBLEM, "each": TRACES_PER_PROBLEM, "steps": STEPS}
        with transaction.atomic(), connection.cursor() as cursor:
            cursor.execute(UNCHECKED)
            cursor.execute(FILL_PROBLEMS, about)
            cursor.execute(FILL_TRACES, about)


def open_rounds(project: Project) -> None:
    """Open one round per model, and close all but the last."""
    made = [
        served(
            rounds.open_round(
                project,
                by=None,
                config=PlainConfig("filter", TraceFilter(generator=f"model {number}"), seed=number),
                overlap=AskedOverlap(2),
            )
        )
        for number in range(ROUNDS)
    ]
    for one in made[:-1]:
        rounds.close_round(one, by=None)


def label(project: Project, people: list[User]) -> None:
    """Add two labels to each task, except in the second half of the open round."""
    made = sorted(project.rounds.values_list("pk", flat=True))
    about: dict[str, Any] = {"project": project.pk, "labelers": [person.pk for person in people], "steps": STEPS}
    about |= {"rounds": made, "open": made[-1], "half": len(people) // 2}
    with transaction.atomic(), connection.cursor() as cursor:
        cursor.execute(UNCHECKED)
        for nth in (0, 1):
            cursor.execute(LABEL_TWICE, {**about, "nth": nth})
        for statement in (LABEL_STEPS, COUNT_TASKS, SETTLE):
            cursor.execute(statement, about)


def score(project: Project, *, by: User) -> None:
    """Score every trace with one PRM, and promote it to choose traces."""
    prm = StepScorer.objects.create(
        name="Bench PRM", spec={}, status=StepScorer.Status.READY, scale="probability", fingerprint="b" * 64
    )
    Promotion.objects.create(project=project, scorer=prm, by=by)
    with transaction.atomic(), connection.cursor() as cursor:
        cursor.execute(UNCHECKED)
        cursor.execute(SCORE, {"project": project.pk, "scorer": prm.pk, "steps": STEPS})


def places(project: Project) -> dict[str, int]:
    """Return the ids that pages about a single object need."""
    newest = project.labels.select_related("task").latest("pk")
    return {
        "round": project.rounds.earliest("pk").pk,
        "open_round": project.rounds.latest("pk").pk,
        "trace": newest.task.trace_id,
        "task": newest.task_id,
        "labeler": newest.labeler_id,
        "prm": StepScorer.objects.get(name="Bench PRM").pk,
    }


def main(arguments: Sequence[str] | None = None) -> int:
    """Fill the project and print what was made."""
    parser = argparse.ArgumentParser(prog="python -m bench.fill_large", description=__doc__)
    parser.add_argument("--traces", type=int, default=1_000_000)
    parser.add_argument("--labels", type=int, default=100_000)
    parser.add_argument("--labelers", type=int, default=200)
    options = parser.parse_args(arguments)
    print(json.dumps(fill_large(options.traces, options.labels, options.labelers)))
    return 0


if __name__ == "__main__":
    sys.exit(main())
