"""Import of files with any columns, by a mapping that says which column is the problem, the steps and so on.

A mapping is JSON that is stored with its import, so that the next file of this kind is read the same way. A column is
a key of the row, or a path to one inside it (`question.text`).
"""

from collections.abc import Mapping
from typing import Any

import orjson

from labeling.formats.faults import Fault, json_type, shown
from labeling.formats.imports import neutral
from labeling.formats.imports.import_format import ImportFormat, Json, Parsed
from labeling.formats.imports.marks import marked
from labeling.formats.imports.renamed import read_renamed
from labeling.formats.row_checks import way_out_of_python
from labeling.generation.splitting import KINDS, Splitter, UnknownSplitter

NAME = "columns"  # as an import's format
COLUMNS = {
    "problem": "problem",
    "steps": "steps",
    "final_answer": "final_answer",
    "outcome": "final_answer_correct",
    "ground_truth_answer": "ground_truth_answer",
    "ground_truth_solution": "ground_truth_solution",
    "problem_id": "problem_id",
    "subject": "subject",
    "level": "level",
    "source": "source",
    "generator": "generator",
}
LIST, TAG = "list", "tag"
SPLITS = (LIST, *KINDS, TAG)
HARD, SHARES, FIRST, FIRST_FROM_1 = "hard", "shares", "first_error", "first_error_from_1"
MARKS_ARE = (HARD, SHARES, FIRST, FIRST_FROM_1)
NO_ERROR = ("", "-1", "n/a", "none", "no error", "null")
KNOWN = frozenset((*COLUMNS, "marks", "split", "pattern", "marks_are"))
LONGEST_PATH = 200  # characters
OUTCOMES = {
    **dict.fromkeys(("true", "1", "correct", "right", "yes"), True),
    **dict.fromkeys(("false", "0", "wrong", "incorrect", "no"), False),
    **dict.fromkeys(("", "null", "none", "n/a"), None),
}


def mapping_faults(mapping: Any) -> dict[str, str]:
    """Return what is wrong with a mapping, by its key; empty if it can be used."""
    if not isinstance(mapping, dict):
        return {"mapping": 'Give an object that names columns: {"problem": …, "steps": …}.'}
    faults = {
        key: f"There is no such key. The keys are {', '.join(sorted(KNOWN))}." for key in mapping if key not in KNOWN
    }
    for key, value in mapping.items():
        if not isinstance(value, str) or len(value) > LONGEST_PATH or "\x00" in value:
            faults[key] = f"Give a text of at most {LONGEST_PATH} characters."
    if faults:
        return {key[:100]: said for key, said in faults.items()}
    for key in ("problem", "steps"):
        if not mapping.get(key):
            faults[key] = "Say which column it is."
    if mapping.get("problem") and mapping.get("problem") == mapping.get("steps"):
        faults["steps"] = "Choose a different column from that of the problem."
    faults |= _split_faults(mapping)
    if mapping.get("marks_are", HARD) not in MARKS_ARE:
        faults["marks_are"] = f"Choose one of {', '.join(MARKS_ARE)}."
    return faults


def _split_faults(mapping: Mapping[str, str]) -> dict[str, str]:
    kind, pattern = mapping.get("split") or LIST, mapping.get("pattern", "")
    if kind == TAG:
        return {} if pattern else {"pattern": "Give the text that ends each step."}
    if kind == LIST:
        return {}
    try:
        Splitter(kind, pattern if kind == "custom" else "")
    except UnknownSplitter as fault:
        return {"pattern" if kind == "custom" else "split": str(fault)}
    return {}


def mapped_format(mapping: Mapping[str, str]) -> ImportFormat:
    """Return the format that a mapping without faults describes."""
    return ImportFormat(
        name=NAME,
        title="Columns of your own",
        means="Each column as the mapping says.",
        looks_like="",
        sniff=lambda row: 1,
        read=lambda row, line: _read(mapping, row, line),
        problem_field=mapping["problem"],
    )


def _read(mapping: Mapping[str, str], row: Json, line: int) -> Parsed:
    """Return the problem, the trace and its marks, or every fault."""
    names = {ours: mapping[key] for key, ours in COLUMNS.items() if mapping.get(key)}
    steps, version, fault = _steps(mapping, row, line)
    if fault is not None:
        return None, [fault]
    flat = {path: value_at(row, path) for path in names.values() if has_path(row, path)}
    marks = mapping.get("marks", "")
    further = {key: value for key, value in row.items() if key not in flat and key != marks}
    rest = {f"row.{key}" if key in neutral.KNOWN_KEYS else key: value for key, value in further.items()}
    flat |= {mapping["steps"]: steps} | _texts(mapping, flat)
    parsed, faults = read_renamed({**rest, **flat}, line, names)
    if parsed is not None and parsed.trace is not None:
        parsed = parsed._replace(trace=parsed.trace._replace(splitter=version))
    return _with_marks(mapping, row, (parsed, faults), line) if marks else (parsed, faults)


def _texts(mapping: Mapping[str, str], flat: Json) -> Json:
    """Return cells as `neutral` needs them: numbers as text, and the correctness of the answer as true or false."""
    told: Json = {}
    for key in ("final_answer", "ground_truth_answer", "subject", "source", "generator"):
        value = flat.get(mapping.get(key, ""))
        if type(value) in (int, float):
            told[mapping[key]] = str(value)
    name = mapping.get("outcome", "")
    if name in flat and (word := str(flat[name]).strip().lower()) in OUTCOMES:
        told[name] = OUTCOMES[word]
    return told


def _steps(mapping: Mapping[str, str], row: Json, line: int) -> tuple[Any, str, Fault | None]:
    """Return the steps of a row and the version of the rule that split them, or the fault that prevents it."""
    name, kind = mapping["steps"], mapping.get("split") or LIST
    value = value_at(row, name)
    if not has_path(row, name):
        return (
            None,
            "",
            Fault("missing_field", line, name, "nothing", "Add it, or choose another column for the steps."),
        )
    if kind == LIST:
        value = _decoded(value)
        if isinstance(value, list):
            return [_text_of(step) for step in value], "", None
        do = "Expected a list of texts."
        do += way_out_of_python(value, name) or " If it is one text, choose how to split it into steps."
        return None, "", Fault("wrong_type", line, name, f"{json_type(value)}: {shown(value)}", do)
    if not isinstance(value, str):
        do = "Expected one text. If it is a list of steps, choose that steps are a list."
        return None, "", Fault("wrong_type", line, name, f"{json_type(value)}: {shown(value)}", do)
    if kind == TAG:
        parts = [part.strip() for part in value.split(mapping["pattern"])]
        return [part for part in parts if part], "", None
    splitter = Splitter(kind, mapping.get("pattern", "") if kind == "custom" else "")
    return splitter.split(value), splitter.version, None


def _decoded(value: Any) -> Any:
    """Decode a list that is stored as JSON in a cell."""
    if not isinstance(value, str) or not value.lstrip().startswith("["):
        return value
    try:
        return orjson.loads(value)
    except orjson.JSONDecodeError:
        return value


def _text_of(step: Any) -> Any:
    """Return a step's text if the step is an object (`{"text": …}`), else the step."""
    if not isinstance(step, dict):
        return step
    return next((step[key] for key in ("text", "content", "step") if isinstance(step.get(key), str)), step)


def _with_marks(mapping: Mapping[str, str], row: Json, read: Parsed, line: int) -> Parsed:
    name, kind = mapping["marks"], mapping.get("marks_are") or HARD
    value = value_at(row, name)
    if kind in (FIRST, FIRST_FROM_1):
        return _with_first_error(read, value, line, name, kind == FIRST_FROM_1)
    return read if value is None else marked(read, value, line, name, shares=kind == SHARES)


def _with_first_error(read: Parsed, value: Any, line: int, name: str, from_1: bool) -> Parsed:
    parsed, faults = read
    steps = len(parsed.trace.steps) if parsed is not None and parsed.trace is not None else None
    if value is None:
        return read
    first = _number(value, from_1)
    if first is None or (steps is not None and not -1 <= first < steps):
        do = f"Number steps from {int(from_1)}. Use -1 where there is no error, and leave it empty where nobody looked."
        return None, [*faults, Fault("no_such_step", line, name, shown(value), do)]
    if parsed is None or parsed.trace is None:
        return read
    return parsed._replace(trace=parsed.trace._replace(recorded_first_error=first)), faults


def _number(value: Any, from_1: bool) -> int | None:
    """Return a step's number from 0; -1 for no error, None if it is not a number."""
    if isinstance(value, str):
        word = value.strip().lower()
        if word in NO_ERROR:
            return -1
        value = int(word) if word.isascii() and word.isdigit() and len(word) < 10 else None
    if isinstance(value, float) and value.is_integer():
        value = int(value)
    if type(value) is not int or value == -1:
        return value if type(value) is int else None
    return value - from_1 if value >= int(from_1) else None


def value_at(row: Json, path: str) -> Any:
    """Return the value at a key or path; None if there is none."""
    if path in row:
        return row[path]
    value: Any = row
    for key in path.split("."):
        value = value.get(key) if isinstance(value, dict) else None
    return value


def has_path(row: Json, path: str) -> bool:
    """Return whether there is a value, even null, at a key or path."""
    if path in row:
        return True
    *way, last = path.split(".")
    inner = value_at(row, ".".join(way)) if way else None
    return isinstance(inner, dict) and last in inner
