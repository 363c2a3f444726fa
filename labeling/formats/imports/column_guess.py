"""A guess at an unknown file's columns from their names and first values, as a starting point for a mapping."""

from collections.abc import Sequence
from typing import Any, NamedTuple

from labeling.formats.faults import json_type, shown
from labeling.formats.imports import columns
from labeling.formats.imports.import_format import Json
from labeling.formats.imports.marks import read_marks
from labeling.generation.splitting import Splitter

MOST_COLUMNS = 60
NAMES = {
    "problem": ("problem", "question", "prompt", "query", "instruction", "task", "input"),
    "steps": (
        *("steps", "completions", "solution_steps", "reasoning_steps", "process", "reasoning", "chain_of_thought"),
        *("response", "completion", "generation", "output", "solution", "answer"),
    ),
    "marks": (
        *("step_labels", "labels", "hard_labels", "marks", "ratings", "rating", "label", "soft_labels", "scores"),
        *("first_error", "first_error_step", "error_step"),
    ),
    "final_answer": ("final_answer", "predicted_answer", "prediction"),
    "outcome": ("final_answer_correct", "is_correct", "correct", "correctness"),
    "ground_truth_answer": ("ground_truth_answer", "gold_answer", "reference_answer", "ground_truth", "target", "gold"),
    "ground_truth_solution": ("ground_truth_solution", "reference_solution"),
    "problem_id": ("problem_id", "question_id", "unique_id", "id", "uuid", "idx"),
    "generator": ("generator", "model", "model_name"),
    "source": ("source", "dataset", "data_source"),
    "subject": ("subject", "domain", "category", "topic", "type"),
    "level": ("level", "difficulty"),
}
SPLITTERS = ("step", "blank_line", "newline", "numbered")


class Column(NamedTuple):
    """A column of the first rows: the JSON types of its values, and one example."""

    name: str
    kinds: list[str]
    example: str


def columns_of(rows: Sequence[Json]) -> list[Column]:
    """Return the keys of the rows and those of objects inside them (`question.text`), in order of appearance."""
    values: dict[str, list[Any]] = {}
    for row in rows:
        for key, value in row.items():
            inner = {f"{key}.{name}": deep for name, deep in value.items()} if isinstance(value, dict) else {}
            for name, found in {key: value, **inner}.items():
                if len(name) <= columns.LONGEST_PATH and (name in values or len(values) < MOST_COLUMNS):
                    values.setdefault(name, []).append(found)
    return [Column(name, _kinds(found), _example(found)) for name, found in values.items()]


def _kinds(values: Sequence[Any]) -> list[str]:
    return sorted({json_type(value) for value in values})


def _example(values: Sequence[Any]) -> str:
    return shown(next((value for value in values if value not in (None, "", [], {})), values[0]))


def guessed(rows: Sequence[Json]) -> dict[str, str]:
    """Return a mapping guessed from the columns' names. What no name indicates is left to whoever imports the file."""
    names = [column.name for column in columns_of(rows)]
    mapping: dict[str, str] = {}
    for role, known in NAMES.items():
        free = [name for name in names if name not in mapping.values()]
        found = next((name for word in known for name in free if name.rsplit(".", 1)[-1].lower() == word), None)
        if found is not None:
            mapping[role] = found
    if "steps" in mapping:
        mapping["split"] = _split(_values(rows, mapping["steps"]))
    if "marks" in mapping:
        mapping["marks_are"] = _marks_are(mapping["marks"], _values(rows, mapping["marks"]))
    return {key: value for key, value in mapping.items() if value}


def _values(rows: Sequence[Json], path: str) -> list[Any]:
    return [value for row in rows if (value := columns.value_at(row, path)) is not None]


def _split(values: Sequence[Any]) -> str:
    """Return how to split the texts: the first rule that makes several steps of most of them."""
    texts = [value for value in values if isinstance(value, str) and not value.lstrip().startswith("[")]
    if not texts:
        return columns.LIST
    parted = {kind: sum(len(Splitter(kind).split(text)) > 1 for text in texts) for kind in SPLITTERS}
    return next((kind for kind in SPLITTERS if 2 * parted[kind] > len(texts)), "blank_line")


def _marks_are(name: str, values: Sequence[Any]) -> str:
    if values and all(isinstance(value, int) or (isinstance(value, str) and value.isdigit()) for value in values):
        return columns.FIRST
    hard = all(not read_marks(value, None, 1, name)[1] for value in values)
    shares = all(not read_marks(value, None, 1, name, shares=True)[1] for value in values)
    return columns.SHARES if shares and not hard else columns.HARD


def fits(mapping: Json, rows: Sequence[Json]) -> bool:
    """Return whether each column that a mapping names is in at least one of the rows."""
    named = [mapping[key] for key in (*columns.COLUMNS, "marks") if mapping.get(key)]
    return bool(named) and all(any(columns.has_path(row, name) for row in rows) for name in named)
