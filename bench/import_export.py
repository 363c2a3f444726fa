"""Imports and exports of many traces: rows a second, and the memory of the process that does it."""

import os
import random
from pathlib import Path
from typing import Any

import orjson

from annotation_app.local.stack import BASE_DIR
from bench.installation import Installation
from bench.progress import say

TRACES = 200_000
TRACES_PER_PROBLEM = 10
LABELS = 150_000  # of seven steps each: a little more than a million step labels
REAL_FILES = ("processbench_math", "processbench_gsm8k", "gsm8k_openai", "prm800k_val", "mrben_coding", "tot_game24")
SENTENCES = (
    "We set $x = {a}$ and solve $2x + {b} = {c}$ for $x$, which gives the number of boxes that are left. ",
    "Since there are {a} customers and each of them buys {b} pens, the shop sells ${a} \\cdot {b} = {c}$ pens. ",
    "Therefore the remainder of {c} divided by {b} is {a}, so that \\[{c} = {b} k + {a}\\] for a whole number $k$. ",
    "Half of {c} is {a}, and {a} + {b} = {c}. ",
)


def measure(installation: Installation, *, quick: bool = False) -> dict[str, Any]:
    """Generated and real files in, a million step labels out."""
    traces = installation.stack.folder / "traces.jsonl"
    write_traces(traces, 5_000 if quick else TRACES)
    imports = [one_import(installation, "generated", traces)]
    traces.unlink()
    shared = Path(os.environ.get("STEPMARK_SHARED_DATA", BASE_DIR.parent / "shared" / "data"))
    real = [shared / f"{name}.jsonl" for name in REAL_FILES]
    imports += [one_import(installation, file.stem, file) for file in real if file.exists()]
    tasks = 10_000 if quick else LABELS
    project = installation.run("bench.fill", "--tasks", str(tasks), "--overlap", "3", "--labeled")
    say(f"export: {tasks:,} labeled traces made")
    exports = [one_export(installation, project["slug"], format) for format in ("prm800k", "neutral")]
    return {"imports": imports, "exports": exports}


def one_import(installation: Installation, name: str, file: Path) -> dict[str, Any]:
    """Import a file into a project of its own."""
    found = installation.run("bench.one_job", "import", f"import-{name}".replace("_", "-"), str(file))
    found |= {"file": name, "rows_per_second": found["rows"] / found["seconds"]}
    say(f"import: {name}: {found['rows']:,} rows, {found['rows_per_second']:,.0f} a second, {found['rss_mb']:.0f} MB")
    return found


def one_export(installation: Installation, slug: str, format: str) -> dict[str, Any]:
    """Export all labels of a project."""
    found = installation.run("bench.one_job", "export", slug, format)
    found |= {"format": format, "step_labels_per_second": found["step_labels"] / found["seconds"]}
    rate = f"{found['step_labels_per_second']:,.0f} a second"
    say(f"export: {format}: {found['step_labels']:,} step labels, {rate}, {found['rss_mb']:.0f} MB")
    return found


def write_traces(file: Path, count: int) -> None:
    """Neutral rows of 4 to 12 steps of one or two sentences, ten to a problem, the same for the same count."""
    chance = random.Random(20261121)
    with file.open("wb") as out:
        for number in range(count):
            out.write(orjson.dumps(row(chance, number)) + b"\n")


def row(chance: random.Random, number: int) -> dict[str, Any]:
    """One trace of the problem that its number belongs to."""
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
    """A step."""
    numbers = {name: chance.randint(1, 9999) for name in "abc"}
    return "".join(chance.choice(SENTENCES).format(**numbers) for _ in range(chance.randint(1, 2))).strip()
