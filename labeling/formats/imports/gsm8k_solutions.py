"""GSM8K's example model solutions: a question and, under each model's name, its solution and whether it is right."""

import re
from typing import Any

from labeling.formats.faults import Fault, shown
from labeling.formats.imports.import_format import ImportFormat, Json, ParsedAll
from labeling.formats.imports.problems import GSM8K_ANSWER
from labeling.formats.imports.renamed import inside, read_renamed
from labeling.formats.records import ParsedRow
from labeling.generation.splitting import Splitter

LINES = Splitter("newline")
ANSWER = re.compile(r"(?:####|A:)\s*(.+)\s*\Z")
SOURCE = "GSM8K test"  # the published solutions belong to its test split


def parse(row: Json, line: int) -> ParsedAll:
    """Return a trace for each model, or every fault."""
    models = {key: value for key, value in row.items() if _is_solution(value)}
    about = {key: value for key, value in row.items() if key not in models and key != "ground_truth"}
    read: list[ParsedRow] = []
    faults: list[Fault] = []
    for name, said in models.items():
        text = said["solution"]
        steps = LINES.split(text) if isinstance(text, str) else []
        if not steps:
            do = "Give the model's solution as text, or leave the model out."
            faults.append(Fault("no_steps", line, f"{name}.solution", shown(text), do))
            continue
        parsed, found = read_renamed({**about, **_said(row, name, said, steps)}, line, {"problem": "question"})
        faults += [one if one.field == "question" else inside([one], name)[0] for one in found]
        if parsed is not None and parsed.trace is not None:
            read.append(parsed._replace(trace=parsed.trace._replace(splitter=LINES.version)))
    return ([], faults) if faults else (read, [])


def _said(row: Json, name: str, said: Json, steps: list[str]) -> Json:
    """Return what is known about one model's solution, under the names of `neutral`."""
    truth, answer = row.get("ground_truth"), ANSWER.search(steps[-1])
    known = isinstance(truth, str) and GSM8K_ANSWER in truth
    return {
        "source": SOURCE,
        "generator": name,
        "steps": steps,
        "final_answer": answer[1].strip() if answer else None,
        "final_answer_correct": said.get("is_correct"),
        "ground_truth_solution": truth,
        "ground_truth_answer": truth.rpartition(GSM8K_ANSWER)[2] if known and isinstance(truth, str) else None,
    }


def _is_solution(value: Any) -> bool:
    return isinstance(value, dict) and {"solution", "is_correct"} <= value.keys()


def _marks(row: Json) -> int:
    return 3 if "question" in row and any(_is_solution(value) for value in row.values()) else 0


FORMAT = ImportFormat(
    name="gsm8k_solutions",
    title="GSM8K model solutions",
    means="A question of GSM8K's test set and the solutions of several models, split at line breaks.",
    looks_like="`question`, and `solution` with `is_correct` under the name of each model.",
    leaves="White space between steps.",
    sniff=_marks,
    read_all=parse,
    problem_field="question",
)
