"""Imports and exports of many traces: rows per second, and the memory of the process.

The two parts, `import` and `export`, can be measured separately.
"""

import os
import random
import time
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import orjson

from annotation_app.local.installation import BASE_DIR
from bench.installation import Installation
from bench.progress import say
from labeling.formats.exports import EXPORT_FORMATS
from labeling.formats.exports.containers import CONTAINERS

TRACES = 200_000
TRACES_PER_PROBLEM = 10
Make = Callable[[random.Random, int], dict[str, Any]]
OLD_SIZES = (10_000, 100_000, 1_000_000)  # rows, imported into an installation with many earlier projects
AGAIN, AGAIN_MOST = 3, 100_000  # up to this many rows, import several times, each into a new project; the median counts
ROWS_PER_PROBLEM = 4  # of labels
WAITING = ("labeling_problemswithoutletters", "labeling_traceswithoutwords")
LABELS = 150_000  # of seven steps each: a little more than a million step labels
REAL_FILES = ("processbench_math", "processbench_gsm8k", "gsm8k_openai", "prm800k_val", "mrben_coding", "tot_game24")
SENTENCES = (
    "We set $x = {a}$ and solve $2x + {b} = {c}$ for $x$, which gives the number of boxes that are left. ",
    "Since there are {a} customers and each of them buys {b} pens, the shop sells ${a} \\cdot {b} = {c}$ pens. ",
    "Therefore the remainder of {c} divided by {b} is {a}, so that \\[{c} = {b} k + {a}\\] for a whole number $k$. ",
    "Half of {c} is {a}, and {a} + {b} = {c}. ",
)


def measure_imports(installation: Installation, *, quick: bool = False) -> dict[str, Any]:
    """Import generated and real files, the first into an empty installation."""
    traces = installation.local.folder / "traces.jsonl"
    write_traces(traces, 5_000 if quick else TRACES)
    imports = [one_import(installation, "generated", traces)]
    traces.unlink()
    shared = Path(os.environ.get("STEPMARK_SHARED_DATA", BASE_DIR.parent / "shared" / "data"))
    real = [shared / f"{name}.jsonl" for name in REAL_FILES]
    imports += [one_import(installation, file.stem, file) for file in real if file.exists()]
    return {"imports": imports, "old_instance": into_old_instance(installation, OLD_SIZES[:1] if quick else OLD_SIZES)}


def measure_exports(installation: Installation, *, quick: bool = False) -> dict[str, Any]:
    """Export a million step labels in each format and container."""
    tasks = 10_000 if quick else LABELS
    project = installation.run("bench.fill", "--tasks", str(tasks), "--overlap", "3", "--labeled")
    say(f"export: {tasks:,} labeled traces made")
    # Formats for agents' runs have no rows for plain solutions.
    plain = [name for name, one in EXPORT_FORMATS.items() if one.kind != "home" and not name.startswith("run_")]
    asked = [(format, container) for container in CONTAINERS for format in plain]
    exports = [one_export(installation, project["slug"], *one) for one in asked]
    return {"exports": exports}


def into_old_instance(installation: Installation, sizes: Sequence[int]) -> list[dict[str, Any]]:
    """Import traces with one problem each, and PRM800K rows, into new projects of an installation with 23 others."""
    installation.run("bench.old_instance")
    found = []
    for kind, make in (("a problem each", lone_trace), ("labels", labeled_row)):
        for size in sizes:
            file = installation.local.folder / "rows.jsonl"
            write_rows(file, size, make)
            slug = f"{kind.replace(' ', '-')}-{size}"
            times = 1 if size > AGAIN_MOST else AGAIN
            runs = [one_import(installation, f"{slug}-{number}", file) for number in range(1, times + 1)]
            run = sorted(runs, key=lambda one: one["seconds"])[times // 2]
            found.append(run | {"kind": kind, "file": slug, "all_seconds": [one["seconds"] for one in runs]})
            file.unlink()
    return found


def one_import(installation: Installation, name: str, file: Path) -> dict[str, Any]:
    """Import a file into its own project."""
    found = installation.run("bench.one_job", "import", f"import-{name}".replace("_", "-"), str(file))
    found |= {"file": name, "rows_per_second": found["rows"] / found["seconds"]}
    found["searchable_after"] = wait_for_words(installation)
    say(f"import: {name}: {found['rows']:,} rows, {found['rows_per_second']:,.0f} a second, {found['rss_mb']:.0f} MB")
    return found


def wait_for_words(installation: Installation) -> float:
    """Wait until a worker has made all problems and steps searchable; return the seconds.

    The next import then has all the cores.
    """
    since = time.monotonic()
    with installation.connect() as database:
        while any(database.execute(f"SELECT true FROM {table} LIMIT 1").fetchone() for table in WAITING):
            time.sleep(0.5)
    return time.monotonic() - since


def one_export(installation: Installation, slug: str, format: str, container: str) -> dict[str, Any]:
    """Export all labels of a project."""
    found = installation.run("bench.one_job", "export", slug, f"{format}:{container}")
    found |= {"format": format, "container": container}
    found["step_labels_per_second"] = found["step_labels"] / found["seconds"]
    rate = f"{found['step_labels_per_second']:,.0f} a second"
    say(f"export: {format}, {container}: {found['step_labels']:,} step labels, {rate}, {found['rss_mb']:.0f} MB")
    return found


def write_rows(file: Path, count: int, make: Make) -> None:
    """Write this many rows; the same count always gives the same rows."""
    chance = random.Random(20261121)
    with file.open("wb") as out:
        for number in range(count):
            out.write(orjson.dumps(make(chance, number)) + b"\n")


def write_traces(file: Path, count: int) -> None:
    """Write neutral rows of 4 to 12 steps of one or two sentences each, ten rows per problem."""
    write_rows(file, count, row)


def lone_trace(chance: random.Random, number: int) -> dict[str, Any]:
    """Return the only trace of its problem."""
    return row(chance, number * TRACES_PER_PROBLEM)


def labeled_row(chance: random.Random, number: int) -> dict[str, Any]:
    """Return a row of PRM800K's second phase: all steps good up to the first error, as in real files."""
    told = row(chance, number // ROWS_PER_PROBLEM * TRACES_PER_PROBLEM)
    steps = told["steps"]
    wrong = chance.randrange(len(steps))
    return {
        "labeler": f"labeler-{chance.randrange(40)}",
        "timestamp": "2022-07-17T17:05:06.211000",
        "generation": 9,
        "is_quality_control_question": False,
        "is_initial_screening_question": False,
        "question": {
            "problem": told["problem"],
            "ground_truth_solution": None,
            "ground_truth_answer": told["ground_truth_answer"],
            "pre_generated_steps": steps,
            "pre_generated_answer": told["final_answer"],
            "pre_generated_verifier_score": chance.random(),
        },
        "label": {
            "steps": [rated(step, -1 if index == wrong else 1) for index, step in enumerate(steps[: wrong + 1])],
            "total_time": 71_000,
            "finish_reason": "found_error",
        },
    }


def rated(step: str, rating: int) -> dict[str, Any]:
    """Return a step of a PRM800K label."""
    own = {"text": step, "rating": rating, "flagged": None}
    return {"completions": [own], "human_completion": None, "chosen_completion": 0 if rating == 1 else None}


def row(chance: random.Random, number: int) -> dict[str, Any]:
    """Return one trace of the problem that its number belongs to."""
    problem = number // TRACES_PER_PROBLEM
    steps = [sentence(chance) for _ in range(chance.randint(4, 12))]
    right = chance.random() < 0.5
    return {
        "source": "bench",
        "problem_id": f"bench-{problem}",
        "problem": f"A shop sells {problem} boxes of pens. " + SENTENCES[problem % 4].format(a=problem, b=3, c=7),
        "ground_truth_answer": str(problem),
        "ground_truth_solution": None,
        "generator": "bench-model",
        "steps": steps,
        "final_answer": str(problem if right else problem + 1),
        "final_answer_correct": right,
        "first_error": None,
        "step_labels": None,
    }


def sentence(chance: random.Random) -> str:
    """Return the text of a random step."""
    numbers = {name: chance.randint(1, 9999) for name in "abc"}
    return "".join(chance.choice(SENTENCES).format(**numbers) for _ in range(chance.randint(1, 2))).strip()
