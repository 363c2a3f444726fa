"""Verdicts of a prover (Lean, Isabelle, Z3): whether each step was proved, with the prover's message."""

from typing import Any

from labeling.formats.faults import Fault, json_type, shown
from labeling.formats.imports.import_format import ImportFormat, Json, Parsed
from labeling.formats.imports.marks import read_marks
from labeling.formats.imports.neutral import parse as read_neutral
from labeling.formats.records import MarksRecord

WORDS: dict[str, bool | None] = {
    **dict.fromkeys(("proved", "verified", "valid", "unsat"), True),
    **dict.fromkeys(("refuted", "disproved", "invalid", "sat"), False),
    **dict.fromkeys(("unknown", "timeout", "failed", "unchecked"), None),
}
LONGEST = 2_000  # characters of a message that are stored


def parse(row: Json, line: int) -> Parsed:
    """Return the problem, the trace and its verdicts, or every fault."""
    theirs = ("verdicts", "messages", "prover")
    parsed, faults = read_neutral({key: value for key, value in row.items() if key not in theirs}, line)
    steps = len(parsed.trace.steps) if parsed is not None and parsed.trace is not None else None
    marks, found = read_marks(_as_marks(row.get("verdicts")), steps, line, "verdicts")
    messages, wrong = _messages(row.get("messages"), steps, line)
    faults = [*faults, *found, *wrong, *_fault_of_prover(row.get("prover"), line)]
    if faults or parsed is None or marks is None:
        return None, faults
    told = MarksRecord(marks.values, "verdicts", prover=row["prover"].strip(), messages=messages)
    return parsed._replace(marks=told), []


def _as_marks(verdicts: Any) -> Any:
    """Return a prover's words as true, false or null. Other values stay, to be reported as faults."""
    if not isinstance(verdicts, list):
        return verdicts
    return [WORDS.get(one.strip().lower(), one) if isinstance(one, str) else one for one in verdicts]


def _messages(found: Any, steps: int | None, line: int) -> tuple[tuple[str, ...], list[Fault]]:
    do = "Give a text for each step as the prover wrote it, or null where it wrote none."
    if found is None:
        return (), []
    if not isinstance(found, list):
        return (), [Fault("wrong_type", line, "messages", f"{json_type(found)}: {shown(found)}", do)]
    for place, one in enumerate(found):
        if one is not None and not isinstance(one, str):
            return (), [Fault("wrong_type", line, f"messages[{place}]", shown(one), do)]
    if steps is not None and len(found) != steps:
        said = f"{len(found):,} messages, {steps:,} steps"
        return (), [Fault("messages_do_not_match_steps", line, "messages", said, do)]
    return tuple((one or "").strip()[:LONGEST] for one in found), []


def _fault_of_prover(prover: Any, line: int) -> list[Fault]:
    if isinstance(prover, str) and 0 < len(prover.strip()) <= 100:
        return []
    do = "Name the prover and its version, such as Lean 4.9 or Z3 4.13."
    return [Fault("no_prover", line, "prover", shown(prover), do)]


def _sniffed(row: Json) -> int:
    return 4 if {"steps", "verdicts", "prover"} <= row.keys() else 0


FORMAT = ImportFormat(
    name="formal_verdicts",
    title="Verdicts of a prover",
    means="Steps that Lean, Isabelle, Z3 or another prover proved or refuted, with its messages.",
    looks_like="`problem`, `steps`, `verdicts` and `prover`.",
    leaves=f"Anything in a message beyond {LONGEST:,} characters.",
    sniff=_sniffed,
    read=parse,
    marks_by="the prover that rows name",
    formal=True,
)
