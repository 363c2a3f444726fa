"""Files to import: rows, bytes, and running an import on them."""

import json
import os
from pathlib import Path
from typing import Any

from labeling.actions.imports import record_import, run_import
from labeling.models import ImportJob, Project

SHARED_DATA = Path(os.environ.get("STEPMARK_SHARED_DATA", Path(__file__).parents[4] / "shared" / "data"))


def neutral_row(problem: str = "What is $2+2$?", steps: Any = ("Add.", "It is 4."), **fields: Any) -> dict[str, Any]:
    """Return a valid row of the neutral format."""
    return {"problem": problem, "steps": list(steps), **fields}


def prm800k_row(problem: str = "What is $2+2$?", labeler: str = "labeler-a", **fields: Any) -> dict[str, Any]:
    """Return a phase 2 row of two steps, with an error in the second and one alternative there."""
    steps = [
        {"completions": [done("Add.", 1)], "human_completion": None, "chosen_completion": 0},
        {"completions": [done("It is 5.", -1), done("It is 4.", 1, False)], "human_completion": None}
        | {"chosen_completion": None},
    ]
    question = {
        "problem": problem,
        "ground_truth_solution": None,
        "ground_truth_answer": "4",
        "pre_generated_steps": ["Add.", "It is 5.", "So 5."],
        "pre_generated_answer": "5",
        "pre_generated_verifier_score": 0.25,
    }
    return {
        "labeler": labeler,
        "timestamp": "2022-11-22T16:51:29.980606",
        "generation": 6,
        "is_quality_control_question": False,
        "is_initial_screening_question": False,
        "question": question,
        "label": {"steps": steps, "total_time": 164458, "finish_reason": "found_error"},
        **fields,
    }


def done(text: str, rating: int | None, flagged: bool | None = None) -> dict[str, Any]:
    """Return a completion as PRM800K writes it."""
    return {"text": text, "rating": rating, "flagged": flagged}


def lines(*rows: Any) -> bytes:
    """Return JSON lines; bytes are kept as they are."""
    return b"".join(row if isinstance(row, bytes) else json.dumps(row).encode() + b"\n" for row in rows)


def import_bytes(project: Project, data: bytes, folder: Path, **options: Any) -> ImportJob:
    """Write a file and import it."""
    file = folder / "rows.jsonl"
    file.write_bytes(data)
    return import_file(project, file, **options)


def import_file(project: Project, file: Path, **options: Any) -> ImportJob:
    """Return the finished import of a file."""
    defaults = {"format": "", "dry_run": False, "skip_faulty": False}
    job = record_import(project, by=None, path=str(file), file_name=file.name, **{**defaults, **options})
    finished = run_import(job.pk)
    assert finished is not None
    return finished


def faults_of(job: ImportJob) -> list[tuple[str, int, str]]:
    """Return (kind, line, field) of every fault shown, by line."""
    kinds = job.report["faults"]["kinds"]
    found = [(kind["kind"], example["line"], example["field"]) for kind in kinds for example in kind["examples"]]
    return sorted(found, key=lambda fault: fault[1])
