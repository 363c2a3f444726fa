"""A pool of scored traces, made inside Postgres, and choices from it: `python -m bench.selection_pool fill|choose …`.

Each command runs in a separate process, to measure its memory alone, and prints its results as JSON.
"""

import argparse
import json
import resource
import sys
import time
from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Any

import django
from django.db import connection, transaction

django.setup()

from labeling.configs import StagedConfig, TraceFilter  # noqa: E402
from labeling.models import Project, StepScorer  # noqa: E402  # models can be read only after the set-up
from labeling.queries import selection  # noqa: E402
from labeling.queries.round_pool import count_pool  # noqa: E402
from labeling.queries.scored_pool import Pool, texts_of  # noqa: E402
from labeling.queries.selection_summary import summarise  # noqa: E402
from labeling.queries.sql_slots import fill as filled  # noqa: E402
from labeling.selection import Candidate, Rules, Selection, order_of, select, sketches_of  # noqa: E402

SLUG = "selection"
TABLES = ("labeling_problem", "labeling_trace", "labeling_score")
# Foreign keys would be checked row by row, which takes hours for rows that are known to be valid.
UNCHECKED = "SET LOCAL session_replication_role = replica"
FILL_PROBLEMS = """
    INSERT INTO labeling_problem (project_id, external_id, text, answer, split, subject, level, source, licence,
        metadata, status, text_hash)
    SELECT %(project)s, '', 'Problem ' || n, '42', 'train', '', '', 'bench', '', '{}', 'active',
        sha256(('selection ' || n)::bytea)
    FROM generate_series(1, %(problems)s) n
"""
# Two in three are wrong. A log score is -20 u^2 for a uniform u. The most convincing twentieth, the only traces that
# can be chosen by score, have texts of 120 mostly common words; every tenth of those is nearly the same as others of
# its problem. The other traces have 300 bytes without words.
UNIFORM = "((hashint8extended({of}, {seed}) & 4294967295)::float8 / 4294967296)"
FILL_TRACES = f"""
    INSERT INTO labeling_trace (id, project_id, problem_id, external_id, source, generator, sampling, steps,
        final_answer, outcome, grader_version, splitter_version, metadata, trace_hash)
    SELECT id, %(project)s, problem, '', 'bench', 'bench-model', '{{}}',
        CASE WHEN {filled(UNIFORM, of="id", seed=1)} < 0.05 THEN ARRAY(
            SELECT string_agg('word' || (120 * power({filled(UNIFORM, of="text * 1000 + place", seed=2)}, 2))::int, ' ')
            FROM generate_series(0, 119) place GROUP BY place / 20 ORDER BY place / 20
        ) || ('It is ' || n || '.') ELSE ARRAY[repeat(md5(n::text), 9)] END,
        '42', CASE WHEN n %% 3 = 0 THEN 'correct' ELSE 'wrong' END, '', '', '{{}}',
        sha256((problem || ' selection ' || n)::bytea)
    FROM (
        SELECT id AS problem, n, %(first)s - 1 + n + %(each)s
                * (id - (SELECT min(id) FROM labeling_problem WHERE project_id = %(project)s)) AS id,
            id * 100000 + CASE WHEN n %% 10 = 0 THEN n %% 3 ELSE n END AS text
        FROM labeling_problem CROSS JOIN generate_series(1, %(each)s) n WHERE project_id = %(project)s
    ) AS drawn
"""
NUMBER_ON = "SELECT setval(pg_get_serial_sequence('labeling_trace', 'id'), (SELECT max(id) FROM labeling_trace))"
FILL_SCORES = f"""
    INSERT INTO labeling_score
        (scorer_id, trace_id, project_id, problem_id, outcome, draw, steps, score, reason, sketch, exact)
    SELECT %(scorer)s, id, project_id, problem_id, outcome,
        ('x' || encode(substr(trace_hash, 1, 8), 'hex'))::bit(64)::bigint,
        array_fill(exp(-3.3 * u * u)::real, ARRAY[6]), -20 * u * u, '', sketch, FALSE
    FROM labeling_trace JOIN made USING (id), LATERAL (SELECT {filled(UNIFORM, of="id", seed=1)}) AS drawn (u)
    WHERE project_id = %(project)s
"""
MAKE_SKETCHES = "CREATE TEMPORARY TABLE made (id bigint PRIMARY KEY, sketch bytea) ON COMMIT DROP"
SKETCHED_AT_ONCE = 50_000
NO_WORDS = sketches_of([""])[0]
INDEXES = """
    SELECT indexname, indexdef FROM pg_indexes WHERE tablename = ANY(%s)
        AND indexname NOT IN (SELECT conname FROM pg_constraint)
"""
# Hashes arrive in random order: maintaining this index for ten million rows would cost more than all the rest.
DROP_UNIQUE = "ALTER TABLE labeling_trace DROP CONSTRAINT one_trace_a_text"
ADD_UNIQUE = "ALTER TABLE labeling_trace ADD CONSTRAINT one_trace_a_text UNIQUE (project_id, trace_hash)"
SIZE = "SELECT sum(pg_table_size(name)), sum(pg_indexes_size(name)) FROM unnest(%s::regclass[]) AS name"
# The obvious way to choose: number all rows, keep the first of each problem.
WINDOW = """
    SELECT trace_id, problem_id, outcome, score, sketch FROM (
        SELECT trace_id, problem_id, outcome, score, sketch, row_number() OVER (
            PARTITION BY problem_id, outcome ORDER BY score DESC, sha256(convert_to('0:' || trace_id, 'UTF8'))) AS place
        FROM labeling_score WHERE scorer_id = %(scorer)s AND score IS NOT NULL AND outcome <> 'ungraded') AS placed
    WHERE place <= %(deep)s
"""
SORT = """
    SELECT trace_id, problem_id, outcome, score, sketch FROM labeling_score
    WHERE scorer_id = %(scorer)s AND score IS NOT NULL AND outcome <> 'ungraded'
    ORDER BY score DESC, sha256(convert_to('0:' || trace_id, 'UTF8')) LIMIT %(deep)s
"""
ALL_OF_SOME = """
    SELECT trace_id, problem_id, outcome, score, sketch FROM labeling_score
    WHERE scorer_id = %(scorer)s AND problem_id <= (
        SELECT min(problem_id) + %(problems)s - 1 FROM labeling_score WHERE scorer_id = %(scorer)s)
"""


def fill(problems: int, each: int) -> dict[str, Any]:
    """Create the pool. Indexes are dropped while filling and recreated as they were."""
    began = time.perf_counter()
    project = Project.objects.create(slug=f"{SLUG}-{problems * each}", name="Selection")
    prm = StepScorer.objects.create(name=project.slug, spec={}, status=StepScorer.Status.READY, scale="probability")
    sizes = {"project": project.pk, "scorer": prm.pk, "problems": problems, "each": each}
    with connection.cursor() as cursor:
        cursor.execute(INDEXES, [list(TABLES)])
        indexes = cursor.fetchall()
        with transaction.atomic():
            cursor.execute(UNCHECKED)
            cursor.execute("SET LOCAL maintenance_work_mem = '512MB'")
            cursor.execute("SELECT coalesce(max(id), 0) + 1 FROM labeling_trace")
            sizes["first"] = cursor.fetchone()[0]
            for statement in [DROP_UNIQUE, *(f'DROP INDEX "{name}"' for name, _ in indexes)]:
                cursor.execute(statement)
            for statement in (FILL_PROBLEMS, FILL_TRACES, NUMBER_ON, MAKE_SKETCHES):
                cursor.execute(statement, sizes)
            sketch(cursor, range(sizes["first"], sizes["first"] + problems * each))
            cursor.execute(FILL_SCORES, sizes)
            for statement in [ADD_UNIQUE, *(definition for _, definition in indexes)]:
                cursor.execute(statement)
        cursor.execute("VACUUM ANALYZE")
        cursor.execute(SIZE, [list(TABLES)])
        table, index = map(int, cursor.fetchone())
    found = {"slug": project.slug, "problems": problems, "traces": problems * each, "seconds": since(began)}
    return {**found, "table_bytes": table, "index_bytes": index}


def sketch(cursor: Any, traces: range) -> None:
    """Store the sketches that a worker scoring these traces would have made of their texts."""
    for start in range(traces.start, traces.stop, SKETCHED_AT_ONCE):
        texts = texts_of(range(start, min(start + SKETCHED_AT_ONCE, traces.stop)))
        with cursor.copy("COPY made FROM STDIN") as copy:
            for row in zip(texts, sketches_of(list(texts.values())), strict=True):
                copy.write_row(row)


def choose(slug: str, rules: dict[str, Any]) -> dict[str, Any]:
    """Choose as the product does, and summarise the choice with its pool."""
    pool, rules_ = pool_of(slug), Rules(**rules)
    found, spent = timed(lambda: selection.choose(pool, rules_))
    summary, beside = timed(lambda: summarise(pool, found))
    return {**spent, **outcome_of(found), "summary_seconds": beside["seconds"], "pool": summary["pool"]}


def naive(slug: str, rules: dict[str, Any]) -> dict[str, Any]:
    """Make the same choice from all rows: numbered by a window function (per problem) or sorted (global)."""
    pool, rules_ = pool_of(slug), Rules(**rules)
    deep = rules_.k + 8 if rules_.mode == "per_problem" else rules_.k * 2
    statement = WINDOW if rules_.mode == "per_problem" else SORT

    def work() -> Selection:
        candidates = read(statement, scorer=pool.scorer_id, deep=deep)
        likely = sorted(candidates, key=order_of(rules_.seed))
        texts = texts_of([one.id for one in likely])
        return select((one._replace(key=str(one.id).encode(), text=texts[one.id]) for one in likely), rules_)

    found, spent = timed(work)
    return {**spent, **outcome_of(found)}


def in_python(slug: str, rules: dict[str, Any], problems: int) -> dict[str, Any]:
    """Make the same choice in memory over all traces of some problems, without texts."""
    pool, rules_ = pool_of(slug), Rules(**rules)

    def work() -> Selection:
        rows = read(ALL_OF_SOME, scorer=pool.scorer_id, problems=problems)
        return select((one._replace(key=str(one.id).encode(), sketch=NO_WORDS) for one in rows), rules_)

    found, spent = timed(work)
    return {**spent, **outcome_of(found), "problems": problems}


def count(slug: str, rules: dict[str, Any]) -> dict[str, Any]:
    """Count the pool for the form, with and without a filter on traces."""
    project, prm = Project.objects.get(slug=slug), StepScorer.objects.get(name=slug)
    asked = StagedConfig(k=1).with_rules(Rules(**rules))
    narrow = replace(asked, filter=TraceFilter(generator="bench-model", steps_min=1))
    about: dict[str, Any] = {"seed": rules["seed"], "scorer": prm}
    found, plain = timed(lambda: count_pool(project, asked, **about))
    _, filtered = timed(lambda: count_pool(project, narrow, **about))
    _, again = timed(lambda: count_pool(project, asked, **about))
    error = abs(found["wrong"] / found["traces"] - 2 / 3) / (2 / 3)
    return {
        "seconds": plain["seconds"],
        "again_seconds": again["seconds"],
        "filtered_seconds": filtered["seconds"],
        "approximate": found["approximate"],
        "traces": found["traces"],
        "share_error": error,
    }


def pool_of(slug: str) -> Pool:
    """Return the pool of the whole project."""
    return Pool(Project.objects.get(slug=slug), StepScorer.objects.get(name=slug).pk)


def read(statement: str, **values: Any) -> list[Candidate]:
    """Return rows as candidates."""
    with connection.cursor() as cursor:
        cursor.execute(statement, values)
        return [Candidate(*row) for row in cursor.fetchall()]


def outcome_of(found: Selection) -> dict[str, Any]:
    """Return the facts by which choices are compared."""
    return {"chosen": len(found.chosen), "dropped": found.dropped, "shortfall": found.shortfall}


def timed(work: Callable[[], Any]) -> tuple[Any, dict[str, Any]]:
    """Return the result, with wall-clock seconds, this process's CPU seconds, and its peak memory so far."""
    began, cpu = time.perf_counter(), time.process_time()
    found = work()
    rss = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    return found, {"seconds": since(began), "cpu_seconds": round(time.process_time() - cpu, 3), "rss_mb": round(rss)}


def since(began: float) -> float:
    """Return the seconds since then."""
    return round(time.perf_counter() - began, 3)


def main(arguments: Sequence[str] | None = None) -> int:
    """Run one command and print its results as JSON."""
    parser = argparse.ArgumentParser(prog="python -m bench.selection_pool", description=__doc__)
    parser.add_argument("what", choices=["fill", "choose", "naive", "in_python", "count"])
    parser.add_argument("--slug", default="")
    parser.add_argument("--rules", type=json.loads, default={})
    parser.add_argument("--problems", type=int, default=0)
    parser.add_argument("--each", type=int, default=0)
    options = parser.parse_args(arguments)
    if options.what == "fill":
        found = fill(options.problems, options.each)
    elif options.what == "in_python":
        found = in_python(options.slug, options.rules, options.problems)
    else:
        found = {"choose": choose, "naive": naive, "count": count}[options.what](options.slug, options.rules)
    print(json.dumps(found))
    return 0


if __name__ == "__main__":
    sys.exit(main())
