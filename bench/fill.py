"""Filling a project for a measurement: `python -m bench.fill project …`, in the environment of the installation.

Traces are generated inside Postgres: seven steps of about a hundred characters each, ten traces per problem.
"""

import argparse
import json
import os
import sys
import time
from collections.abc import Sequence
from typing import Any

import django
from django.db import connection, transaction

django.setup()

from labeling.actions import api_tokens, rounds  # noqa: E402  # models can be read only after the set-up
from labeling.configs import PlainConfig  # noqa: E402
from labeling.models import Membership, Project, Round, StepScorer, User  # noqa: E402
from labeling.quality.consensus import AskedOverlap  # noqa: E402

TRACES_PER_PROBLEM = 10
STEPS = 7

# Foreign keys are checked per row at commit, which takes minutes for a million rows that are known to be valid.
UNCHECKED = "SET LOCAL session_replication_role = replica"
FILL_PROBLEMS = """
    INSERT INTO labeling_problem (project_id, external_id, text, answer, split, subject, level, source, licence,
        metadata, status, text_hash)
    SELECT %(project)s, 'bench-' || n,
        'A shop sells ' || n || ' boxes of $k$ pens and gives every third customer $' || n || ' + k$ pens more. '
        || 'How many pens does the shop need for $' || n || ' \\cdot k$ customers? Give the number of pens.',
        n::text, 'train', 'algebra', '3', 'bench', 'none', '{}', 'active', sha256(('problem ' || n)::bytea)
    FROM generate_series(1, %(problems)s) n
"""
FILL_TRACES = """
    INSERT INTO labeling_trace (project_id, problem_id, external_id, source, generator, sampling, steps,
        final_answer, outcome, grader_version, splitter_version, metadata, trace_hash)
    SELECT %(project)s, problem.id, '', 'bench', 'bench-model', '{"temperature": 1}',
        ARRAY(SELECT 'Step ' || step || ': the shop gives ' || trace || ' pens to every third customer, so that '
            || '$k = ' || step * trace || '$ and ' || md5(problem.id || ':' || trace || ':' || step)
            FROM generate_series(1, %(steps)s) step),
        '42', CASE trace %% 2 WHEN 0 THEN 'correct' ELSE 'wrong' END, '', '', '{}',
        sha256((problem.id || ' trace ' || trace)::bytea)
    FROM labeling_problem problem CROSS JOIN generate_series(1, %(each)s) trace
    WHERE problem.project_id = %(project)s
"""
LABEL_ALL = """
    INSERT INTO labeling_label (project_id, task_id, labeler_id, status, surplus, claimed_at, opened_at,
        submitted_at, finish_reason, verdict, rated_steps, mistake, finish_detail, noticed_at_step, confirmations,
        active_ms, other_active_ms, total_ms, client_build, draft_revision, extra)
    SELECT %(project)s, task.id, (%(labelers)s::bigint[])[1 + task.id %% cardinality(%(labelers)s::bigint[])],
        'submitted', false, now() - interval '1 hour', now() - interval '1 hour', now() - interval '30 minutes',
        CASE WHEN right_one THEN 'solution' ELSE 'found_error' END, CASE WHEN right_one THEN -1 ELSE %(steps)s - 1 END,
        %(steps)s,
        CASE WHEN NOT right_one THEN
            '{"progress": "some", "explanation": "The pens of the step before are left out."}'::jsonb END,
        '{}', 6, '[]', 61000, 3000, 75000, 'bench', 0, '{}'
    FROM labeling_task task CROSS JOIN LATERAL (SELECT task.id %% 10 = 0 AS right_one) AS said
    WHERE task.round_id = %(round)s
"""
LABEL_STEPS = """
    INSERT INTO labeling_steplabel (label_id, step_index, position, rating, chosen, active_ms, source)
    SELECT label.id, step, 0, CASE step WHEN label.verdict THEN -1 WHEN 2 THEN 0 ELSE 1 END, false, 8000, 'typed'
    FROM labeling_label label CROSS JOIN generate_series(0, %(steps)s - 1) step WHERE label.project_id = %(project)s
"""
ROLL_OUT = """
    INSERT INTO labeling_score (scorer_id, trace_id, project_id, problem_id, outcome, draw, exact, reason, evidence)
    SELECT %(scorer)s, trace.id, trace.project_id, trace.problem_id, trace.outcome, trace.id, true, '',
        '{"hits": [6, 5, 5, 4, 3, 2, 1, 0], "n": [8, 8, 8, 8, 8, 8, 8, 8], "own_answer": false}'
    FROM labeling_trace AS trace WHERE trace.project_id = %(project)s
"""


def fill_project(tasks: int, annotators: int, overlap: int, *, labeled: bool) -> dict[str, object]:
    """Create a project with one open round of `tasks` tasks; return its ids, and an API token per annotator."""
    with transaction.atomic():
        project = Project.objects.create(
            slug=f"bench-{tasks}-{overlap}-{Project.objects.count()}", name=f"Bench {tasks}"
        )
        sizes: dict[str, int] = {
            "project": project.pk,
            "problems": tasks // TRACES_PER_PROBLEM,
            "each": TRACES_PER_PROBLEM,
        }
        with connection.cursor() as cursor:
            cursor.execute(UNCHECKED)
            cursor.execute(FILL_PROBLEMS, sizes)
            cursor.execute(FILL_TRACES, {**sizes, "steps": STEPS})
        people = make_annotators(project, annotators)
    round_ = served(rounds.open_round(project, by=None, config=PlainConfig(seed=7), overlap=AskedOverlap(overlap)))
    if labeled:
        label_all(project, round_, people)
    with connection.cursor() as cursor:
        cursor.execute("VACUUM ANALYZE")
    return {
        "id": project.pk,
        "slug": project.slug,
        "round_id": round_.pk,
        "tasks": round_.task_count,
        "usernames": [person.username for person in people],
        "labelers": [person.pk for person in people],
        "tokens": [api_tokens.create_token(person, "bench")[1] for person in people],
    }


def served(round_: Round) -> Round:
    """Return the round once its tasks are on the queue: the worker puts a large one there."""
    while round_.status == Round.Status.PREPARING:
        time.sleep(0.5)
        round_.refresh_from_db()
    if round_.status != Round.Status.LABELING:
        sys.exit(f"The round is {round_.status}: {round_.error}")
    return round_


def make_annotators(project: Project, count: int) -> list[User]:
    """Create annotators of the project. BENCH_PASSWORD, if set, is the password of the first ten."""
    people = [User(username=f"{project.slug}-{number}") for number in range(count)]
    if password := os.environ.get("BENCH_PASSWORD"):
        for person in people[:10]:
            person.set_password(password)
    User.objects.bulk_create(people)
    Membership.objects.bulk_create(
        Membership(project=project, user=person, role=Membership.Role.ANNOTATOR) for person in people
    )
    return people


def label_all(project: Project, round_: Round, people: list[User]) -> None:
    """Submit one label on every task, with all steps rated; in nine of ten the last step is negative, with a reason.
    Also add eight rollouts from each prefix.
    """
    named: dict[str, Any] = {
        "project": project.pk,
        "round": round_.pk,
        "labelers": [person.pk for person in people],
        "steps": STEPS,
    }
    with transaction.atomic(), connection.cursor() as cursor:
        cursor.execute(UNCHECKED)
        round_.tasks.update(labels_wanted=0)
        cursor.execute(LABEL_ALL, named)
        cursor.execute(LABEL_STEPS, named)
        completer = {"completer": {"model": "bench-model", "seed": 1}}
        rolled = StepScorer.objects.create(project=project, kind="rollouts", name="Bench rollouts", spec=completer)
        cursor.execute(ROLL_OUT, {**named, "scorer": rolled.pk})


def main(arguments: Sequence[str] | None = None) -> int:
    """Fill the project and print what was made as JSON."""
    parser = argparse.ArgumentParser(prog="python -m bench.fill", description=__doc__)
    parser.add_argument("--tasks", type=int, required=True)
    parser.add_argument("--annotators", type=int, default=50)
    parser.add_argument("--overlap", type=int, default=1)
    parser.add_argument("--labeled", action="store_true", help="with a submitted label on every task")
    options = parser.parse_args(arguments)
    print(json.dumps(fill_project(options.tasks, options.annotators, options.overlap, labeled=options.labeled)))
    return 0


if __name__ == "__main__":
    sys.exit(main())
