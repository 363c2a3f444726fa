"""Problems only: a question and its answer per line, with the field names that GSM8K and MATH use."""

from typing import Any

import orjson

from labeling.formats.faults import Fault, shown
from labeling.formats.imports.import_format import ImportFormat
from labeling.formats.imports.neutral import problem_faults, problem_record, with_texts
from labeling.formats.reading import faults_of_extras
from labeling.formats.records import ParsedRow

SPELLINGS = {
    "question": "problem",  # GSM8K
    "unique_id": "problem_id",  # MATH-500
    "id": "problem_id",
    "solution": "ground_truth_solution",  # MATH
    "type": "subject",  # MATH
}
KNOWN_KEYS = frozenset(
    ("ground_truth_answers",)
    + ("problem_id", "problem", "ground_truth_answer", "ground_truth_solution", "subject", "level", "licence", "source")
)
# Other people's keys for what a model wrote, reduced to letters and digits.
TRACE_KEYS = frozenset(
    (
        *("messages", "conversation", "conversations", "chat", "dialogue", "turns", "history", "traj"),
        *("trajectory", "trajectories", "traces", "process", "rollout", "rollouts", "sample", "samples"),
        *("response", "responses", "completion", "completions", "output", "outputs", "generation", "generations"),
        *("prediction", "predictions", "candidate", "candidates", "modelanswer", "modelanswers", "modelresponse"),
        *("modelsolution", "modelsolutions", "modeloutput", "modeloutputs", "chainofthought", "chainofthoughts"),
        *("step", "reasoningsteps", "solutionsteps", "steplabels", "labels", "rating", "ratings"),
    )
)
SOLUTION_KEYS = frozenset(("solution", "solutions", "steps", "response", "completion", "content"))
GSM8K_ANSWER = "\n#### "


def parse(row: dict[str, Any], line: int) -> tuple[ParsedRow | None, list[Fault]]:
    """Return the problem of one row, or every fault in it. Keys without a column go into the problem's metadata."""
    named = neutral_names(row)
    extras = {key: value for key, value in named.items() if key not in KNOWN_KEYS}
    split = extras.pop("split", "train")
    if split not in ("train", "held_out"):
        split, extras["split"] = "train", split
    faults = [*problem_faults(named, line), *faults_of_extras(extras, line)]
    if "steps" in row:
        do = "This row is a trace: import the file as `neutral`, or remove `steps`."
        faults.append(Fault("unexpected_steps", line, "steps", shown(row["steps"]), do))
    if faults:
        return None, faults
    metadata = orjson.dumps(extras).decode() if extras else "{}"
    return ParsedRow(problem_record(named, split, metadata)), []


def lost_traces(row: dict[str, Any]) -> list[str]:
    """Return the keys of a row with solutions, messages or ratings, which become metadata here."""
    return [key for key, value in row.items() if value and _holds_a_trace(key, value)]


def _holds_a_trace(key: str, value: Any) -> bool:
    letters = "".join(filter(str.isalnum, key.lower()))
    if letters in TRACE_KEYS:
        return isinstance(value, str | list | dict)
    inner = value[0] if isinstance(value, list) else value
    return isinstance(inner, dict) and not SOLUTION_KEYS.isdisjoint(inner)


def neutral_names(row: dict[str, Any]) -> dict[str, Any]:
    """Return the row with the keys of GSM8K and MATH renamed to those of the neutral format. Existing keys are not
    replaced.

    GSM8K's `answer` is a solution that ends in `#### 42`: all of it is kept as the solution, and 42 is the answer.
    Numbers given as id or level are kept as text.
    """
    named: dict[str, Any] = {}
    for key, value in row.items():
        name = SPELLINGS.get(key, key)
        named[key if name in row or name in named else name] = value
    named = with_texts(named)
    if "answer" not in named or "ground_truth_answer" in named:
        return named
    answer = named.pop("answer")
    if isinstance(answer, str) and GSM8K_ANSWER in answer and "ground_truth_solution" not in named:
        named["ground_truth_solution"] = answer
        answer = answer.rpartition(GSM8K_ANSWER)[2]
    named["ground_truth_answer"] = answer
    return named


def _marks(row: dict[str, Any]) -> int:
    return 1  # for rows without marks of another format: its faults say what a problem needs


FORMAT = ImportFormat(
    name="problems",
    title="Problems only",
    means="Problem and answer, as in GSM8K and MATH. No traces.",
    looks_like="`problem` or `question`, and no `steps`.",
    leaves="Nothing: further keys are kept with the problem.",
    sniff=_marks,
    read=parse,
    loses=lost_traces,
)
