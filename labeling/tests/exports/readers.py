"""PRM800K as other people's code reads it, by its own assumptions: a row that breaks one of them raises here too.

`typed_item`: every assertion of openr's reader (openreasoner/openr, preprocess/src/data_types/prm800k.py).
`trl_rows`: what TRL's script makes of a row (huggingface/trl, examples/datasets/prm800k.py). Both are told anew.
"""

from datetime import datetime
from typing import Any
from uuid import UUID

Json = dict[str, Any]
COMPLETION = {"text": str, "rating": (int, None), "flagged": (bool, None), "source": (str, None)}
QUESTION = {
    "problem": str,
    "ground_truth_answer": (str, None),
    "ground_truth_solution": (str, None),
    "pre_generated_answer": (str, None),
    "pre_generated_verifier_score": (float, None),
}


def typed_item(row: Json) -> None:
    """Raises AssertionError (ValueError for an id or a time) at the first value of a type that it may not have."""
    UUID(row["labeler"])
    datetime.fromisoformat(row["timestamp"])
    require(row, {"is_quality_control_question": bool, "is_initial_screening_question": bool})
    require(row, {"generation": (int, None)})
    question, label = row["question"], row["label"]
    require(question, QUESTION)
    if question.get("pre_generated_steps") is not None:
        assert all(type(step) is str for step in question["pre_generated_steps"])
    require(label, {"total_time": int, "finish_reason": str})
    for step in label["steps"]:
        require(step, {"completions": (list, None), "human_completion": (dict, None), "chosen_completion": (int, None)})
        for completion in [*(step["completions"] or []), *filter(None, [step["human_completion"]])]:
            require(completion, COMPLETION)


def require(found: Json, wanted: dict[str, Any]) -> None:
    """Each name has the type it must have; `(type, None)`: or null, or is not there."""
    for name, kinds in wanted.items():
        kind, *null = kinds if isinstance(kinds, tuple) else (kinds,)
        value = found.get(name)
        assert (value is None and null) or type(value) is kind, f"{name} is {value!r}"


def trl_rows(row: Json) -> list[Json]:
    """A row for the path, and one for each completion that was not chosen. A label is right where the rating is 1."""
    rows: list[Json] = []
    texts: list[str] = []
    labels: list[bool] = []
    prompt = row["question"]["problem"]
    for step in row["label"]["steps"]:
        if step["completions"] is None and step["human_completion"] is None and step["chosen_completion"] is None:
            break
        offered, chosen = step["completions"], step["chosen_completion"]
        for place, one in enumerate(offered):
            if place != chosen:
                own = [*labels, one["rating"] == 1]
                rows.append({"prompt": prompt, "completions": [*texts, one["text"]], "labels": own})
        if chosen is not None:
            texts, labels = [*texts, offered[chosen]["text"]], [*labels, offered[chosen]["rating"] == 1]
        elif step["human_completion"] is not None:
            texts, labels = [*texts, step["human_completion"]["text"]], [*labels, True]
        else:
            break
    return [*rows, {"prompt": prompt, "completions": texts, "labels": labels}]
