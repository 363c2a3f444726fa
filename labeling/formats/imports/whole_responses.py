"""A problem and a whole response: what models write before it is split into steps."""

from typing import Any

from labeling.formats.faults import Fault, shown
from labeling.formats.imports.import_format import ImportFormat, Json, Parsed
from labeling.formats.imports.renamed import read_renamed
from labeling.formats.row_checks import wrong_type
from labeling.generation.splitting import Splitter

PROBLEMS = ("problem", "question", "prompt", "query")
RESPONSES = ("response", "completion", "output", "generation", "model_output", "model_solution", "prediction")
CORRECT = ("is_correct", "correct", "final_answer_correct", "correctness")
PARAGRAPHS, LINES = Splitter("blank_line"), Splitter("newline")


def parse(row: Json, line: int) -> Parsed:
    """Return the problem and the response, split into steps, or every fault."""
    problem, response = _key(row, PROBLEMS) or "problem", _key(row, RESPONSES) or "response"
    if not isinstance(row.get(response), str):
        return None, [wrong_type(row, response, line, "a text")]
    steps, version = parted(row[response])
    if not steps:
        return None, [
            Fault("no_steps", line, response, shown(row[response]), "Leave the row out: the response is empty.")
        ]
    names = {"problem": problem, "steps": response}
    names |= {"ground_truth_answer": "answer"} if isinstance(row.get("answer"), str) else {}
    correct = _key(row, CORRECT)
    names |= {"final_answer_correct": correct} if correct and isinstance(row[correct], bool) else {}
    parsed, faults = read_renamed({**row, response: steps}, line, names)
    if parsed is None or parsed.trace is None:
        return None, faults
    return parsed._replace(trace=parsed.trace._replace(splitter=version)), []


def parted(text: str) -> tuple[list[str], str]:
    """Return the steps of a text, split at blank lines, or at line breaks if there are none; and the rule's version."""
    for splitter in (PARAGRAPHS, LINES):
        steps = splitter.split(text)
        if len(steps) > 1:
            return steps, splitter.version
    return steps, splitter.version


def _key(row: Json, names: tuple[str, ...]) -> str | None:
    return next((name for name in names if name in row), None)


def _text(row: Json, names: tuple[str, ...]) -> Any:
    return isinstance(row.get(_key(row, names) or ""), str)


def _marks(row: Json) -> int:
    return 2 if "steps" not in row and _text(row, PROBLEMS) and _text(row, RESPONSES) else 0


FORMAT = ImportFormat(
    name="whole_responses",
    title="Problems and whole responses",
    means="What a model wrote as one text, split at blank lines, or at line breaks if it has no blank lines.",
    looks_like="`problem` (`question`, `prompt`) and `response` (`completion`, `output`, `generation`), both texts.",
    leaves="White space between steps. Formulas, code and tables are never split (docs/candidates.md).",
    sniff=_marks,
    read=parse,
)
