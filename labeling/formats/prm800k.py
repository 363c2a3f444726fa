"""Conversion between PRM800K rows and problem, trace and label (PROTOCOL: the format and its cases).

A row is parsed into the shape of the tables, and rendered from the tables by the rules of the format. Where a row
differs from that rendering (an unknown key, an odd shape), the difference is kept as a patch in the label's `extra`.
So `render` of the result of `parse` equals the row, and ordinary content is never stored twice.
"""

import re
from datetime import UTC, datetime
from typing import Any, NamedTuple

import orjson

from labeling.formats.faults import Fault
from labeling.formats.moments import moment
from labeling.formats.patches import UNSAID, difference, patched
from labeling.formats.prm800k_checks import row_faults
from labeling.formats.reading import LARGEST_EXACT, faults_of_extras
from labeling.formats.records import LabelRecord, ParsedRow, ProblemRecord, StepLabelRecord, TraceRecord

ANSWER_MARK = "\n\n# Answer\n\n"
# As models write it: also at the beginning of a step, or with one line break less.
ANSWER_BEGINS = re.compile(r"(?:\A|\n)# Answer[ \t]*\n\n?")
EXTRA_KEY = "prm800k"  # in a label's extra
GIVEN_PATH = (EXTRA_KEY, "given")  # in it: where a row differs from the problem or trace already stored
VERIFIER_SCORE = "pre_generated_verifier_score"  # in a trace's metadata
QUALITY_CONTROL = "is_quality_control_question"
SCREENING = "is_initial_screening_question"
Json = dict[str, Any]


class LabelOut(NamedTuple):
    """The data from which a row is rendered. `human_steps`: the steps on the path that a labeler wrote.

    `path_by_rating`: the path goes through the trace's own steps that were rated 0 or higher, and ends where one was
    not. Otherwise each step label says whether it was chosen.
    """

    problem: str
    answer: str | None
    reference_solution: str | None
    steps: list[str]
    final_answer: str | None
    verifier_score: float | None
    labeler: str
    submitted_at: datetime | None
    finish_reason: str
    total_ms: int | None
    step_labels: list[StepLabelRecord]
    phase: int = 2
    generation: int | None = None
    quality_control: bool = False
    screening: bool = False
    human_steps: tuple[int, ...] = ()
    path_by_rating: bool = False


def parse(row: Json, line: int) -> tuple[ParsedRow | None, list[Fault]]:
    """Return the problem, trace and label of one row, or every fault in it."""
    faults = list(row_faults(row, line))
    if faults:
        return None, faults
    question, label = row["question"], row["label"]
    phase = 2 if "pre_generated_steps" in question else 1
    own = [_own_completion(row, phase, index) for index in range(len(label["steps"]))]
    path = list(question["pre_generated_steps"]) if phase == 2 else _phase_1_path(label["steps"], own)
    if not path:
        do = "Leave the row out: it has no chosen step for a label to be attached to."
        return None, [Fault("no_steps", line, "label.steps", "no step with a text", do)]
    facts = _facts(row, phase, label["steps"], own)
    record = LabelRecord(
        row["labeler"],
        _moment(row.get("timestamp")),
        label["finish_reason"],
        _whole(label.get("total_time")),
        [
            item
            for index, step in enumerate(label["steps"])
            for item in _step_labels(step, index, own[index], len(path))
        ],
        {EXTRA_KEY: facts},
        quality_control=facts.get("quality_control", False) or facts.get("screening", False),
    )
    problem = ProblemRecord(
        question["problem"],
        answer=_text(question.get("ground_truth_answer")),
        reference_solution=_text(question.get("ground_truth_solution")),
        source="prm800k",
    )
    score = question.get(VERIFIER_SCORE)
    metadata = {VERIFIER_SCORE: score} if type(score) in (int, float) else {}
    trace = TraceRecord(path, "prm800k", "", _final_answer(question, path, phase), metadata=metadata)
    patch = _patch(base_row(label_out(problem, trace, record)), row)
    if patch:
        facts["patch"] = patch
    faults = faults_of_extras(row if patch else metadata, line)
    return (None, faults) if faults else (ParsedRow(problem, trace, record), [])


def _patch(base: Json, row: Json) -> Json:
    """Return how the row differs from its rendering. For most rows the JSON is the same, which is quick to check."""
    if _moment(row.get("timestamp")) is None:
        base["timestamp"] = UNSAID  # the tables fill in what the row leaves out, so here the patch must decide
    elif _sorted_json(base) == _sorted_json(row):
        return {}
    return difference(base, row)


def _sorted_json(value: Json) -> bytes:
    return orjson.dumps(value, option=orjson.OPT_SORT_KEYS)


def label_out(problem: ProblemRecord, trace: TraceRecord, label: LabelRecord) -> LabelOut:
    """Convert the parsed records of one row to the data from which a row is rendered."""
    return LabelOut(
        problem.text,
        problem.answer,
        problem.reference_solution,
        trace.steps,
        trace.final_answer,
        trace.metadata.get(VERIFIER_SCORE),
        label.labeler,
        label.submitted_at,
        label.finish_reason,
        label.total_ms,
        label.step_labels,
        **facts_of(label.extra),
    )


def facts_of(extra: Json) -> Json:
    """Return the keyword arguments of `LabelOut` that are stored in an imported label's extra."""
    facts = extra.get(EXTRA_KEY, {})
    names = ("phase", "generation", "quality_control", "screening", "human_steps")
    return {name: facts[name] for name in names if name in facts}


def _facts(row: Json, phase: int, steps: list[Json], own: list[int | str | None]) -> Json:
    facts: Json = {"phase": phase, "generation": _whole(row.get("generation"))}
    for name, key in (("quality_control", QUALITY_CONTROL), ("screening", SCREENING)):
        if row.get(key) is True:
            facts[name] = True
    human = [index for index in range(len(steps)) if own[index] == "human"]
    return facts | {"human_steps": human} if human else facts


def _own_completion(row: Json, phase: int, index: int) -> int | str | None:
    """Return which completion of a step is the path's own: its place in the list, "human", or None if there is none."""
    step = row["label"]["steps"][index]
    texts = [completion["text"] for completion in step.get("completions") or []]
    chosen = _place(step.get("chosen_completion"), texts)
    if phase == 2:
        return _equal_to_generated(row["question"]["pre_generated_steps"], index, step, texts, chosen)
    if chosen is not None:
        return chosen
    if _human_text(step) is not None:
        return "human"
    last = index == len(row["label"]["steps"]) - 1
    if last and index > 0 and row["label"]["finish_reason"] != "found_error":
        return None  # the labeler gave up here: nothing was chosen
    return _first_negative(step) if _first_negative(step) is not None or not texts else 0


def _equal_to_generated(
    generated: list[str], index: int, step: Json, texts: list[str], chosen: int | None
) -> int | None:
    if index >= len(generated):
        return None
    if chosen is not None and texts[chosen] == generated[index]:
        return chosen
    if generated[index] in texts:
        return texts.index(generated[index])
    return _first_negative(step)


def _first_negative(step: Json) -> int | None:
    ratings = [completion.get("rating") for completion in step.get("completions") or []]
    return ratings.index(-1) if -1 in ratings else None


def _phase_1_path(steps: list[Json], own: list[int | str | None]) -> list[str]:
    """Return the texts along the path. A step in the middle without any is kept as an empty text, to keep positions."""
    texts = []
    for step, place in zip(steps, own, strict=True):
        human = _human_text(step) if place == "human" else None
        texts.append(step["completions"][place]["text"] if isinstance(place, int) else human or "")
    while texts and not texts[-1]:
        texts.pop()
    return texts


def _step_labels(step: Json, index: int, own: int | str | None, path_length: int) -> list[StepLabelRecord]:
    chosen = _place(step.get("chosen_completion"), step.get("completions") or [])
    found = []
    for position, completion in enumerate(step.get("completions") or []):
        text = None if position == own and index < path_length else completion["text"]
        flagged = completion.get("flagged")
        flagged = flagged if isinstance(flagged, bool) else None
        rating = completion.get("rating")
        found.append(StepLabelRecord(index, position, text, "model", rating, flagged, position == chosen))
    human = _human_text(step)
    if human is not None:
        flagged = step["human_completion"].get("flagged") if isinstance(step["human_completion"], dict) else None
        text = None if own == "human" and index < path_length else human
        flagged = flagged if isinstance(flagged, bool) else None
        found.append(StepLabelRecord(index, 0, text, "human", None, flagged, False))
    return found


def _human_text(step: Json) -> str | None:
    """Return the text a labeler wrote. In real rows it is in an object; in the README's example it is a plain text."""
    human = step.get("human_completion")
    return human["text"] if isinstance(human, dict) else human


def _place(value: Any, items: list[Any]) -> int | None:
    return value if type(value) is int and 0 <= value < len(items) else None


def _whole(value: Any) -> int | None:
    return value if type(value) is int and abs(value) < LARGEST_EXACT else None


def _text(value: Any) -> str | None:
    return value if isinstance(value, str) else None


def _moment(value: Any) -> datetime | None:
    """Return a timestamp without a time zone, read as UTC; None for anything else."""
    if not isinstance(value, str):
        return None
    try:
        return moment(value) if datetime.fromisoformat(value).tzinfo is None else None
    except ValueError:
        return None


def _final_answer(question: Json, path: list[str], phase: int) -> str | None:
    if phase == 2:
        return _text(question.get("pre_generated_answer"))
    marks = list(ANSWER_BEGINS.finditer(path[-1]))
    return path[-1][marks[-1].end() :] if marks else None


def render(label: LabelOut, extra: Json) -> Json:
    """Return the row of a label. An imported row is restored exactly, key for key.

    `given` in the extra: fields of `LabelOut` where the row differs from the problem or trace already stored.
    """
    facts = extra.get(EXTRA_KEY)
    if facts is None:
        return base_row(label)
    row = base_row(label._replace(**facts.get("given", {})))
    return patched(row, facts["patch"]) if "patch" in facts else row


def base_row(label: LabelOut) -> Json:
    """Return the row by the rules of the format alone."""
    return {
        "labeler": label.labeler,
        "timestamp": label.submitted_at.astimezone(UTC).replace(tzinfo=None).isoformat()
        if label.submitted_at
        else None,
        "generation": label.generation,
        QUALITY_CONTROL: label.quality_control,
        SCREENING: label.screening,
        "question": _question(label),
        "label": {"steps": _steps(label), "total_time": label.total_ms, "finish_reason": label.finish_reason},
    }


def _question(label: LabelOut) -> Json:
    if label.phase == 1:
        return {"problem": label.problem, "ground_truth_answer": label.answer}
    return {
        "problem": label.problem,
        "ground_truth_solution": label.reference_solution,
        "ground_truth_answer": label.answer,
        "pre_generated_steps": label.steps,
        "pre_generated_answer": label.final_answer,
        VERIFIER_SCORE: label.verifier_score,
    }


def _steps(label: LabelOut) -> list[Json]:
    """Return the label's steps. Giving up leaves a step of nulls, unless the last step has completions but no
    choice."""
    steps: list[Json] = []
    two, by_rating = label.phase == 2, label.path_by_rating
    for item in label.step_labels:
        step_index, _, text, source, rating, flagged, chosen = item
        if text is None and step_index == len(steps) and source == "model" and not label.human_steps:
            # Nearly every step is like this: the trace's own, and the only one so far.
            own = {"text": label.steps[step_index], "rating": rating, "flagged": None if two else bool(flagged)}
            taken = chosen or (by_rating and rating is not None and rating >= 0)
            place = 0 if taken else None
            steps.append({"completions": [own], "human_completion": None, "chosen_completion": place})
            continue
        if by_rating and text is None and rating is not None and rating >= 0:
            item = item._replace(chosen=True)
        while len(steps) <= item.step_index:
            steps.append({"completions": None, "human_completion": None, "chosen_completion": None})
        _place_step_label(steps[item.step_index], item, label)
    if label.finish_reason == "give_up":
        undecided = bool(steps) and steps[-1]["chosen_completion"] is None and steps[-1]["human_completion"] is None
        if not undecided:
            steps.append({"completions": None, "human_completion": None, "chosen_completion": None})
    return steps


def _place_step_label(step: Json, item: StepLabelRecord, label: LabelOut) -> None:
    own = item.text is None
    text = label.steps[item.step_index] if item.text is None else item.text
    human = item.source == "human" or (own and item.step_index in label.human_steps and not item.chosen)
    flagged = None if own and label.phase == 2 else bool(item.flagged)
    if human and step["human_completion"] is None:
        step["human_completion"] = {"text": text, "rating": item.rating, "source": "human", "flagged": flagged}
        return
    if step["completions"] is None:
        step["completions"] = []
    if item.chosen:
        step["chosen_completion"] = len(step["completions"])
    step["completions"].append({"text": text, "rating": item.rating, "flagged": flagged})


def with_final_answer(steps: list[str], final_answer: str | None) -> list[str]:
    """Return the steps with the answer and its mark added to the last one, as the format requires, if it is not there
    yet.
    """
    if not final_answer or ANSWER_BEGINS.search(steps[-1]):
        return steps
    return [*steps[:-1], steps[-1] + ANSWER_MARK + final_answer]
