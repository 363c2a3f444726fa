"""*Data* in a project with very many traces: the list, its search and its facets, over HTTP.

`python -m bench.trace_search [--traces 1000000]` prints how long each request takes and writes
bench/results/trace_search.json. Steps use a vocabulary with few common words and many rare ones, as in real texts.
"""

import argparse
import json
import random
import statistics
import sys
import time
from collections.abc import Callable
from typing import Any

import httpx
import psycopg

from bench.installation import Installation, fresh_installation
from bench.machine import machine
from bench.progress import say
from bench.report import RESULTS

TRACES_PER_PROBLEM = 10
VOCABULARY = 8_000
WORDS = 14  # per step
STEPS = 7
CHUNK = 20_000  # traces
REPEATS = 40
INDEX = "words_of_traces"

PROBLEMS = """
    INSERT INTO labeling_problem (project_id, external_id, text, answer, split, subject, level, source, licence,
        metadata, status, text_hash)
    SELECT %(project)s, 'search-' || n, 'A shop sells ' || n || ' boxes of $k$ pens. How many pens are that?',
        n::text, 'train', 'subject ' || n %% 7, (n %% 5)::text, 'bench', 'none', '{}', 'active',
        sha256(('searched problem ' || n)::bytea)
    FROM generate_series(1, %(problems)s) n
"""
FILL = """
    INSERT INTO labeling_trace (project_id, problem_id, external_id, source, generator, sampling, steps, final_answer,
        outcome, grader_version, splitter_version, metadata, trace_hash)
    SELECT problem.project_id, problem.id, '', 'source ' || problem.id %% 5, 'model ' || trace %% 12, '{}',
        ARRAY(SELECT string_agg(words.all[1 + 0 * word + floor(power(random(), 3) * %(vocabulary)s)::int], ' ')
            FROM generate_series(1, %(words)s * %(steps)s) AS word WHERE trace IS NOT NULL GROUP BY word %% %(steps)s),
        '42', CASE trace %% 3 WHEN 0 THEN 'correct' ELSE 'wrong' END, '', '', '{}',
        sha256((problem.id || ' trace ' || trace)::bytea)
    FROM (SELECT %(known)s::text[] AS all) AS words
    CROSS JOIN (SELECT id, project_id FROM labeling_problem
        WHERE project_id = %(project)s AND external_id LIKE 'search-%%' ORDER BY id
        OFFSET %(from)s LIMIT %(problems)s) AS problem
    CROSS JOIN generate_series(1, %(each)s) AS trace
"""
WORDS_OF_STEPS = """
    INSERT INTO labeling_tracewords (trace_id, project_id, words)
    SELECT id, project_id, labeling_step_words(steps) FROM labeling_trace WHERE project_id = %(project)s
    ON CONFLICT DO NOTHING
"""
LETTERS_OF_PROBLEMS = """
    INSERT INTO labeling_problemletters (problem_id, project_id, text)
    SELECT id, project_id, text FROM labeling_problem WHERE project_id = %(project)s ON CONFLICT DO NOTHING
"""


def vocabulary() -> list[str]:
    """Return meaningless words, no two of which have the same stem."""
    syllables = [first + vowel for first in "bdfgklmnprtvz" for vowel in "aou"]
    drawn = random.Random(7)
    words: dict[str, None] = {}
    while len(words) < VOCABULARY:
        words["".join(drawn.choices(syllables, k=4)) + "k"] = None
    return list(words)


def fill(installation: Installation, traces: int, words: list[str]) -> tuple[str, str, dict[str, float]]:
    """Create a project with that many traces; return its slug, a researcher's token, and the cost of the word index."""
    made = installation.run("bench.fill", "--tasks", "10", "--annotators", "1")
    with installation.connect() as database:
        database.execute("UPDATE labeling_membership SET role = 'researcher' WHERE project_id = %s", [made["id"]])
        [(definition,)] = database.execute("SELECT indexdef FROM pg_indexes WHERE indexname = %s", [INDEX]).fetchall()
        database.execute(f"DROP INDEX {INDEX}")  # created at the end, which is much faster
        database.execute("SET session_replication_role = replica")
        problems = traces // TRACES_PER_PROBLEM
        database.execute(PROBLEMS, {"project": made["id"], "problems": problems})
        for start in range(0, problems, CHUNK // TRACES_PER_PROBLEM):
            about = {"project": made["id"], "from": start, "problems": CHUNK // TRACES_PER_PROBLEM, "known": words}
            sizes = {"vocabulary": VOCABULARY, "words": WORDS, "steps": STEPS, "each": TRACES_PER_PROBLEM}
            database.execute(FILL, {**about, **sizes})
            say(f"trace search: {min(traces, (start * TRACES_PER_PROBLEM) + CHUNK):,} traces")
        database.execute(LETTERS_OF_PROBLEMS, {"project": made["id"]})  # normally a worker's job, queued by triggers
        began = time.perf_counter()
        database.execute(WORDS_OF_STEPS, {"project": made["id"]})
        database.execute(definition)
        seconds = time.perf_counter() - began
        database.execute("VACUUM ANALYZE")
        return made["slug"], made["tokens"][0], {"seconds": seconds, "megabytes": size_of(database)}


def size_of(database: psycopg.Connection) -> float:
    """Return the megabytes of the index of words."""
    [(size,)] = database.execute("SELECT pg_relation_size(%s::regclass)", [INDEX]).fetchall()
    return size / 1e6


def measure(installation: Installation, traces: int) -> dict[str, Any]:
    """Return median and 95th percentile in milliseconds of each request, each time with other words."""
    words = vocabulary()
    slug, token, index = fill(installation, traces, words)
    drawn = random.Random(11)
    rare: Callable[[], str] = lambda: drawn.choice(words[VOCABULARY // 2 :])  # noqa: E731  # three of a kind
    common: Callable[[], str] = lambda: drawn.choice(words[:5])  # noqa: E731
    usual: Callable[[], str] = lambda: drawn.choice(words[50:500])  # noqa: E731
    looks: dict[str, Callable[[], str]] = {
        "the list": lambda: "traces?",
        "most steps first": lambda: "traces?order=longest",
        "one outcome": lambda: "traces?outcome=wrong",
        "a rare word": lambda: f"traces?q={rare()}",
        "a usual word": lambda: f"traces?q={usual()}",
        "a very common word": lambda: f"traces?q={common()}",
        "two usual words": lambda: f"traces?q={usual()} {usual()}",
        "a part of a problem": lambda: f"traces?q=sells {drawn.randrange(1, traces // TRACES_PER_PROBLEM)} boxes",
        "facets": lambda: "traces/facets?",
        "facets of one outcome": lambda: "traces/facets?outcome=wrong",
        "facets of a usual word": lambda: f"traces/facets?q={usual()}",
        "facets of a very common word": lambda: f"traces/facets?q={common()}",
    }
    with httpx.Client(
        base_url=f"http://127.0.0.1:{installation.local.web_port}/api/projects/{slug}/",
        headers={"Authorization": f"Bearer {token}", "Host": "localhost"},
        timeout=120,
    ) as client:
        found = {name: milliseconds(client, look) for name, look in looks.items()}
    for name, (median, late) in found.items():
        say(f"trace search: {name}: {median:.0f} ms, {late:.0f} ms at p95")
    shown = {name: {"median": round(median, 1), "p95": round(late, 1)} for name, (median, late) in found.items()}
    return {"traces": traces, "machine": machine(), "index": index, "milliseconds": shown}


def milliseconds(client: httpx.Client, look: Callable[[], str]) -> tuple[float, float]:
    """Return the median and the 95th percentile, without the first two requests, which load plans and tables."""
    took = []
    for _ in range(REPEATS + 2):
        address = look()
        began = time.perf_counter()
        client.get(address).raise_for_status()
        took.append((time.perf_counter() - began) * 1000)
    return statistics.median(took[2:]), statistics.quantiles(took[2:], n=20)[-1]


def main() -> int:
    """Measure and write the file."""
    parser = argparse.ArgumentParser(prog="python -m bench.trace_search", description=__doc__)
    parser.add_argument("--traces", type=int, default=1_000_000)
    asked = parser.parse_args()
    with fresh_installation() as installation:
        found = measure(installation, asked.traces)
    (RESULTS / "trace_search.json").write_text(json.dumps(found, indent=1) + "\n")
    return 0


if __name__ == "__main__":
    sys.exit(main())
