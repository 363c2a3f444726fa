"""Choosing a round's traces from ten million scored ones, compared with reading all of them."""

import json
import statistics
from typing import Any

from bench.installation import Installation
from bench.progress import say

PROBLEMS = 12_000
EACH = 834  # traces per problem: ten million in all
SMALL = (12_000, 84)  # a million, for the count in the form
RUNS = 3
PYTHON_SHARE = 10  # the pool in Python is measured for a tenth of the problems
COMMON: dict[str, Any] = {"seed": 0, "ratio": 0.8, "control_share": 0.1}
PER_PROBLEM: dict[str, Any] = {"mode": "per_problem", "k": 8, **COMMON}
GLOBAL: dict[str, Any] = {"mode": "global", "k": 50_000, **COMMON}
CAPPED: dict[str, Any] = {**GLOBAL, "per_problem_cap": 4}


def measure(installation: Installation, *, quick: bool = False) -> dict[str, Any]:
    """Create the pool, and measure each choice several times, and the same choices by naive methods."""
    problems, each = (300, 80) if quick else (PROBLEMS, EACH)
    small = fill(installation, *((300, 40) if quick else SMALL))
    counts = [one(installation, "count", small["slug"], PER_PROBLEM) | {"of": small["traces"]}]
    pool = fill(installation, problems, each)
    counts.append(one(installation, "count", pool["slug"], PER_PROBLEM) | {"of": pool["traces"]})
    scale = 50 if quick else 1
    runs, naive = {}, {}
    for name, rules in {"per problem": PER_PROBLEM, "global": GLOBAL, "global, capped": CAPPED}.items():
        asked = rules if rules["mode"] == "per_problem" else {**rules, "k": rules["k"] // scale}
        runs[name] = [one(installation, "choose", pool["slug"], asked) for _ in range(RUNS)]
        say(f"selection: {name}: {[run['seconds'] for run in runs[name]]} s")
        if name != "global, capped":
            naive[name] = one(installation, "naive", pool["slug"], {**asked, "control_share": 0})
            say(f"selection: {name}, all rows: {naive[name]['seconds']} s")
    some = problems // PYTHON_SHARE
    in_python = one(installation, "in_python", pool["slug"], {**PER_PROBLEM, "control_share": 0}, problems=some)
    say(f"selection: {some:,} problems in Python: {in_python['seconds']} s, {in_python['rss_mb']} MB")
    return {"pool": pool, "runs": runs, "naive": naive, "in_python": in_python, "counts": counts}


def fill(installation: Installation, problems: int, each: int) -> dict[str, Any]:
    """Create a project with this many scored traces."""
    size = ("--problems", str(problems), "--each", str(each))
    found: dict[str, Any] = installation.run("bench.selection_pool", "fill", *size)
    gigabytes = (found["table_bytes"] + found["index_bytes"]) / 1e9
    say(f"selection: {found['traces']:,} scored traces made in {found['seconds']:.0f} s, {gigabytes:.1f} GB")
    return found


def one(
    installation: Installation, what: str, slug: str, rules: dict[str, Any], *, problems: int = 0
) -> dict[str, Any]:
    """Run one command in a separate process; return its result with the CPU seconds of Postgres."""
    before = installation.cpu_seconds()["postgres"]
    more = ("--problems", str(problems)) if problems else ()
    found: dict[str, Any] = installation.run(
        "bench.selection_pool", what, "--slug", slug, "--rules", json.dumps(rules), *more
    )
    return {**found, "postgres_cpu_seconds": round(installation.cpu_seconds()["postgres"] - before, 2)}


def middle(runs: list[dict[str, Any]]) -> float:
    """Return the median of the seconds."""
    return statistics.median(run["seconds"] for run in runs)
