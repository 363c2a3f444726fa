"""`python -m bench.grading_change REVISION`: the grader of a git revision against today's, on the shared files.

Shows which grades changed, in how many traces each grader contradicts the recorded outcome, and the CPU time of both.
Writes a table into docs/grading.md.
"""

import argparse
import json
import os
import subprocess
import sys
import tarfile
import tempfile
from collections import Counter
from io import BytesIO
from pathlib import Path
from typing import Any

from annotation_app.local.installation import BASE_DIR
from bench.grading import REAL_FILES, RECORDED, cpu_seconds
from bench.grading_report import PAGE
from bench.markdown import table
from bench.progress import say
from labeling.grading import GRADER_VERSION, Question
from labeling.grading.process_pool import GradingPool

FILES = REAL_FILES | {"prm800k_val": "maths"}
RUNS = 1  # runs of each grader per file, alternating; the faster one counts
SECONDS = 5.0
BEGIN = "<!-- change: written by `python -m bench.grading_change` -->"
END = "<!-- end of change -->"
SHARED = Path(os.environ.get("STEPMARK_SHARED_DATA", BASE_DIR.parent / "shared" / "data"))


def main() -> None:
    """Grade every file with both graders and write the table; with `--grade FILE`, grade and print one file."""
    parser = argparse.ArgumentParser(prog="python -m bench.grading_change", description=__doc__)
    parser.add_argument("revision")
    parser.add_argument("--grade", help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.grade:
        print(json.dumps(graded(options.grade)))
        return
    with tempfile.TemporaryDirectory() as folder:
        archive = ["git", "archive", options.revision, "labeling/__init__.py", "labeling/grading"]
        packed = subprocess.run(archive, cwd=BASE_DIR, check=True, capture_output=True).stdout
        with tarfile.open(fileobj=BytesIO(packed)) as code:
            code.extractall(folder, filter="data")
        rows = [compared(name, options.revision, Path(folder)) for name in FILES if (SHARED / f"{name}.jsonl").exists()]
    write(rows)


def graded(name: str) -> dict[str, Any]:
    """Return the outcomes of one file by the grader that is imported here, with CPU time per trace."""
    rows = [json.loads(line) for line in (SHARED / f"{name}.jsonl").read_text(encoding="utf-8").splitlines()]
    questions = [Question(tuple(row["steps"]), None, row["ground_truth_answer"], FILES[name]) for row in rows]
    with GradingPool(1, seconds=SECONDS) as pool:
        list(pool.grade(questions[:1]))
        started = cpu_seconds()
        grades = list(pool.grade(questions))
        seconds = cpu_seconds() - started
    recorded = [RECORDED[row["final_answer_correct"]] for row in rows]
    return {
        "version": GRADER_VERSION,
        "outcomes": [grade.outcome for grade in grades],
        "recorded": recorded,
        "seconds": seconds,
    }


def compared(name: str, revision: str, old: Path) -> dict[str, Any]:
    """Run both graders on one file."""
    found: dict[str, list[dict[str, Any]]] = {"before": [], "after": []}
    for _ in range(RUNS):
        for when, code in (("before", [str(old), str(BASE_DIR)]), ("after", [str(BASE_DIR)])):
            environment = os.environ | {"PYTHONPATH": os.pathsep.join(code)}
            command = [sys.executable, "-P", "-m", "bench.grading_change", revision, "--grade", name]
            ran = subprocess.run(command, cwd=old, env=environment, check=True, capture_output=True, text=True)
            found[when].append(json.loads(ran.stdout))
    before, after = (found[when][0] for when in ("before", "after"))
    say(f"grading: {name}: {before['version']} against {after['version']}")
    changes = Counter(zip(before["outcomes"], after["outcomes"], strict=True))
    quickest = {when: min(run["seconds"] for run in runs) for when, runs in found.items()}
    return {
        "file": name,
        "traces": len(after["outcomes"]),
        "before": errors(before),
        "after": errors(after),
        "versions": (before["version"], after["version"]),
        "changes": {f"{one} to {other}": count for (one, other), count in sorted(changes.items()) if one != other},
        "ratio": quickest["before"] / quickest["after"],
    }


def errors(run: dict[str, Any]) -> Counter[str]:
    """Count each (recorded, graded) outcome."""
    return Counter(f"{one} {other}" for one, other in zip(run["recorded"], run["outcomes"], strict=True))


def write(rows: list[dict[str, Any]]) -> None:
    """Put the table between the markers in docs/grading.md."""
    text = PAGE.read_text(encoding="utf-8")
    before, _, rest = text.partition(BEGIN)
    _, _, after = rest.partition(END)
    old, new = rows[0]["versions"]
    body = [BEGIN, f"Before: {old}; after: {new}. Answers found in the steps.", "", *_table(rows), END]
    PAGE.write_text(before + "\n".join(body) + after, encoding="utf-8")


def _table(rows: list[dict[str, Any]]) -> list[str]:
    head = ("file", "traces", "wrong, graded correct", "correct, graded wrong", "ungraded", "changes", "speed")
    cells = [
        (
            row["file"],
            f"{row['traces']:,}",
            *(f"{row['before'][pair]} → {row['after'][pair]}" for pair in ("wrong correct", "correct wrong")),
            " → ".join(f"{_ungraded(row[when]):,}" for when in ("before", "after")),
            ", ".join(f"{change} {count}" for change, count in row["changes"].items()) or "none",
            f"{row['ratio']:.2f}",
        )
        for row in rows
    ]
    return table(head, cells)


def _ungraded(pairs: Counter[str]) -> int:
    return sum(count for pair, count in pairs.items() if pair.endswith(" ungraded"))


if __name__ == "__main__":
    main()
