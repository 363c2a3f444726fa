"""`python -m worker.prm.score MODEL.json TRACES.jsonl OUT.jsonl`: score traces in a file.

TRACES has one object per line with `problem` and `steps`. OUT gets one per line, in its own order (traces of a problem
together): line, key, steps, score, scale, reason, prm. It can be stopped at any moment and resumes where it was; it
refuses to resume with another model or other traces.
"""

import argparse
import hashlib
import json
import os
import sys
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any, BinaryIO, NamedTuple

import torch

from worker.prm.errors import PrmError, SpecError
from worker.prm.registry import load_scorer
from worker.prm.scoring import Scorer, TraceScore, rescore_best
from worker.prm.spec import parse_spec

# Traces of one problem scored together. With more, little more would be shared; a stop costs at most this much.
GROUP = 256


class Place(NamedTuple):
    """Where a trace is in the file."""

    line: int
    offset: int


def main(arguments: Sequence[str] | None = None) -> int:
    """Score a file. Return 0 if every trace has a row, 1 if the model cannot be used."""
    parser = argparse.ArgumentParser(prog="python -m worker.prm.score", description=__doc__.splitlines()[0])
    parser.add_argument("model", type=Path, help="the record of a PRM as JSON")
    parser.add_argument("traces", type=Path, help="JSON lines with problem and steps")
    parser.add_argument("out", type=Path, help="JSON lines of scores; appended to if it is there")
    parser.add_argument(
        "--rescore", type=int, default=0, metavar="K", help="score the K best of a problem in float32 again"
    )
    parser.add_argument("--threads", type=int, default=0, help="CPU threads; 0 leaves it to torch")
    options = parser.parse_args(arguments)
    if options.threads:
        torch.set_num_threads(options.threads)
    try:
        done = score_file(options.model, options.traces, options.out, options.rescore)
    except PrmError as error:
        print(error, file=sys.stderr)
        return 1
    print(f"{done} traces scored")
    return 0


def score_file(model: Path, traces: Path, out: Path, rescore: int = 0) -> int:
    """Append a row for every trace that has none yet. Return how many. Raises PrmError."""
    record = json.loads(model.read_text(encoding="utf-8"))
    scorer = load_scorer(parse_spec(record, model.parent))
    exact = load_scorer(parse_spec({**record, "dtype": "float32"}, model.parent)) if rescore else None
    version = scorer.fingerprint if exact is None else f"{scorer.fingerprint}+{rescore}"
    done = rows_done(out, version)
    count = 0
    with traces.open("rb") as source, out.open("ab") as target:
        for group in groups(source):
            rows = [read_row(source, place) for place in group]
            keys = [key_of(row) for row in rows]
            check_same(group, keys, done, traces)
            waiting = [at for at, place in enumerate(group) if place.line not in done]
            scores = score_group(scorer, exact, rescore, [rows[at] for at in waiting])
            for at, score in zip(waiting, scores, strict=True):
                target.write(output_row(group[at].line, keys[at], score, version))
            target.flush()
            count += len(waiting)
        os.fsync(target.fileno())
    return count


def score_group(scorer: Scorer, exact: Scorer | None, keep: int, rows: list[dict[str, Any]]) -> list[TraceScore]:
    """Score traces of one problem."""
    if not rows:
        return []
    traces = [row["steps"] for row in rows]
    scores = scorer.score(rows[0]["problem"], traces)
    return scores if exact is None else rescore_best(exact, rows[0]["problem"], traces, scores, keep)


def groups(source: BinaryIO) -> Iterator[list[Place]]:
    """Yield places of traces by problem, at most GROUP at a time. The file itself stays on disk."""
    by_problem: dict[bytes, list[Place]] = {}
    offset = 0
    for line, raw in enumerate(source):
        if raw.strip():
            row = parse_row(raw, line)
            by_problem.setdefault(hashlib.sha256(row["problem"].encode()).digest(), []).append(Place(line, offset))
        offset += len(raw)
    for places in by_problem.values():
        for at in range(0, len(places), GROUP):
            yield places[at : at + GROUP]


def read_row(source: BinaryIO, place: Place) -> dict[str, Any]:
    """Return one trace."""
    source.seek(place.offset)
    return parse_row(source.readline(), place.line)


def parse_row(raw: bytes, line: int) -> dict[str, Any]:
    """Return a line as an object with `problem` (text) and `steps` (texts). Raises SpecError naming the line."""
    try:
        row = json.loads(raw)
    except ValueError as error:
        raise SpecError(f"Line {line + 1} of the traces is not JSON: {error}.") from error
    steps = row.get("steps") if isinstance(row, dict) else None
    if (
        not isinstance(steps, list)
        or not isinstance(row.get("problem"), str)
        or not all(isinstance(s, str) for s in steps)
    ):
        raise SpecError(f"Line {line + 1} of the traces needs `problem` (text) and `steps` (a list of texts).")
    return dict(row)


def key_of(row: dict[str, Any]) -> str:
    """Return SHA-256 of what was scored."""
    return hashlib.sha256(json.dumps([row["problem"], row["steps"]]).encode()).hexdigest()


def output_row(line: int, key: str, score: TraceScore, version: str) -> bytes:
    """Return one line of OUT."""
    row: dict[str, Any] = {"line": line, "key": key, "steps": score.steps, "score": score.score, "scale": score.scale}
    if score.progress is not None:
        row["progress"] = score.progress
    return json.dumps({**row, "reason": score.reason, "prm": version}, allow_nan=False).encode() + b"\n"


def rows_done(out: Path, version: str) -> dict[int, str]:
    """Return lines that have a row, with their keys; cut off a torn last line. Raises SpecError for another model."""
    if not out.exists():
        return {}
    whole = out.read_bytes()
    end = whole.rfind(b"\n") + 1
    if end < len(whole):
        os.truncate(out, end)
    done: dict[int, str] = {}
    for raw in whole[:end].splitlines():
        row = json.loads(raw)
        if row["prm"] != version:
            raise SpecError(
                f"{out} holds scores of another model ({row['prm'][:12]}, not {version[:12]}). Name another file."
            )
        done[row["line"]] = row["key"]
    return done


def check_same(group: list[Place], keys: list[str], done: dict[int, str], traces: Path) -> None:
    """Raise SpecError if a line reads differently from when it was scored."""
    changed = [place.line for place, key in zip(group, keys, strict=True) if done.get(place.line, key) != key]
    if changed:
        raise SpecError(f"Line {changed[0] + 1} of {traces} changed since it was scored. Name another output file.")


if __name__ == "__main__":
    sys.exit(main())
