"""Scores computed elsewhere: one trace per row, named by its id or its hash, with a number for each step."""

import math
import re
from array import array
from collections.abc import Sequence
from typing import Any, NamedTuple

from labeling.formats.faults import Fault, json_type, shown

HASH = re.compile(r"[0-9a-f]{64}", re.IGNORECASE)
LARGEST_ID = (1 << 63) - 1
LONGEST_FINGERPRINT = 64
SCALES = ("probability", "log_ratio")
Json = dict[str, Any]


class ScoreRow(NamedTuple):
    """A valid row: either `trace_id` or `trace_hash`, and the step scores as 32-bit floats."""

    line: int
    trace_id: int | None
    trace_hash: bytes | None
    steps: list[float]


class About(NamedTuple):
    """What all rows of a file share: the model of the scores and their scale."""

    fingerprint: str
    scale: str


def about_of(row: Json, line: int, *, fingerprint: str, scale: str) -> tuple[About | None, list[Fault]]:
    """Return the model and scale from what was asked for and a file's first row, or the faults in them."""
    said = fingerprint or row.get("fingerprint")
    if not isinstance(said, str) or not 0 < len(said.strip()) <= LONGEST_FINGERPRINT:
        do = f"Name the model in up to {LONGEST_FINGERPRINT} characters, either for the whole import or in each row."
        return None, [Fault("no_fingerprint", line, "fingerprint", _found(row, "fingerprint"), do)]
    read_as = scale or row.get("scale", SCALES[0])
    if read_as not in SCALES:
        return None, [Fault("bad_scale", line, "scale", _found(row, "scale"), f"Write {' or '.join(SCALES)}.")]
    return About(said.strip(), read_as), []


def parse_scores(row: Json, line: int, about: About) -> tuple[ScoreRow | None, list[Fault]]:
    """Return the scores in a row, or every fault in it."""
    faults = _other_scorer(row, line, about)
    trace_id, trace_hash = row.get("trace_id"), row.get("trace_hash")
    if fault := _fault_of_trace(trace_id, trace_hash, line):
        faults.append(fault)
    steps, found = _steps(row.get("scores"), line, about.scale)
    faults += found
    if faults:
        return None, faults
    return ScoreRow(line, trace_id, bytes.fromhex(trace_hash) if trace_hash else None, steps), []


def _other_scorer(row: Json, line: int, about: About) -> list[Fault]:
    wrong = [name for name in About._fields if row.get(name, said := getattr(about, name)) != said]
    do = "All scores in a file must have the same model and the same scale. Use a separate file for each."
    return [Fault(f"other_{name}", line, name, _found(row, name), do) for name in wrong]


def _fault_of_trace(trace_id: Any, trace_hash: Any, line: int) -> Fault | None:
    if (trace_id is None) == (trace_hash is None):
        found = "neither trace_id nor trace_hash" if trace_id is None else "both trace_id and trace_hash"
        do = "Name the trace by its id in Stepmark, or by its hash (docs/formats.md)."
        return Fault("no_trace", line, "", found, do)
    if trace_hash is not None and not (isinstance(trace_hash, str) and HASH.fullmatch(trace_hash)):
        return Fault("bad_trace_hash", line, "trace_hash", shown(trace_hash), "Write the SHA-256 as 64 hex digits.")
    if trace_id is not None and not (type(trace_id) is int and 0 < trace_id <= LARGEST_ID):
        return Fault("bad_trace_id", line, "trace_id", shown(trace_id), "Write the id as a whole number.")
    return None


def _steps(scores: Any, line: int, scale: str) -> tuple[list[float], list[Fault]]:
    """Return the step scores as the database stores them, in 32 bits."""
    if not isinstance(scores, list) or not scores:
        found = "an empty list" if scores == [] else json_type(scores)
        return [], [Fault("no_scores", line, "scores", found, "Give a list with one number for each step.")]
    for place, value in enumerate(scores):
        if type(value) is not float and type(value) is not int:
            do = "Give a number for each step, or leave the trace out. It then has no score."
            return [], [Fault("not_a_number", line, f"scores[{place}]", shown(value), do)]
    steps = array("f", scores).tolist() if _fits(scores) else scores
    wrong = _outside(steps, scale)
    if wrong is None:
        return steps, []
    do = {
        "probability": "Probabilities are between 0 and 1. Are these log_ratio?",
        "log_ratio": "Use numbers that fit into a 32-bit float.",
    }[scale]
    return [], [Fault("outside_scale", line, f"scores[{wrong}]", shown(scores[wrong]), do)]


def _fits(scores: Sequence[float]) -> bool:
    """Return whether the scores fit into 32-bit floats: a whole number may be larger than any float."""
    return all(-3.4e38 <= score <= 3.4e38 for score in scores)


def _outside(steps: Sequence[float], scale: str) -> int | None:
    """Return the first step whose number is outside the scale."""
    low, high = (0.0, 1.0) if scale == "probability" else (-3.4e38, 3.4e38)
    return next((place for place, one in enumerate(steps) if not low <= one <= high or math.isnan(one)), None)


def _found(row: Json, name: str) -> str:
    return shown(row[name]) if name in row else "nothing"
