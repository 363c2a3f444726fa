"""The neutral format: one trace per line, with what is known about its steps. Described in docs/formats.md."""

from collections.abc import Iterator
from typing import Any

import orjson

from labeling.count_words import count_of
from labeling.formats.faults import Fault, shown
from labeling.formats.imports.import_format import ImportFormat
from labeling.formats.imports.typed_rows import TYPED, typed_faults, typed_of
from labeling.formats.reading import faults_of_extras
from labeling.formats.records import RESERVED_KEY, ParsedRow, ProblemRecord, TraceRecord
from labeling.formats.row_checks import step_faults, whole_number, wrong_type

PROBLEM_KEYS = {"problem_id", "problem", "ground_truth_solution", "subject", "level", "licence"}
PROBLEM_KEYS |= {"ground_truth_answer", "ground_truth_answers"}
TRACE_KEYS = {"source", "generator", "steps", "final_answer", "final_answer_correct", "first_error", "step_labels"}
KNOWN_KEYS = frozenset(PROBLEM_KEYS | TRACE_KEYS | {"split", TYPED})
TEXT_FIELDS = ("ground_truth_answer", "ground_truth_solution", "final_answer")  # text | null, any length
SHORT_FIELDS = {"problem_id": 200, "source": 100, "generator": 200, "subject": 100, "level": 40, "licence": 100}
MOST_ANSWERS = 100  # maximum right answers of one problem
NAME_LIMIT = 200  # for the rater's name: a longer one is only kept among the further keys
OUTCOMES = {True: "correct", False: "wrong", None: "ungraded"}
SUGGESTIONS = "suggestions"  # kept among the further keys, and exported again
SUGGESTION_KINDS = ("explanation", "alternative")
STARTING_STEPS = "starting_steps"  # of the problem: how each path through it begins; also kept with the trace
MOST_SUGGESTIONS = 1_000  # per trace
RATINGS = frozenset((-1, 0, 1))


def parse(row: dict[str, Any], line: int) -> tuple[ParsedRow | None, list[Fault]]:
    """Return the problem and trace of one row, or every fault in it. Unknown keys go into the trace's metadata."""
    row = with_whole_numbers(with_texts(row))
    known = row.keys() <= KNOWN_KEYS  # of most rows, at a fifth of the time
    extras = {} if known else {key: value for key, value in row.items() if key not in KNOWN_KEYS}
    split = row.get("split", "train")
    if split not in ("train", "held_out"):  # the file's own value, such as "test"
        split, extras["split"] = "train", split
    faults = [*problem_faults(row, line), *_trace_faults(row, line)]
    if extras:
        faults += faults_of_extras(extras, line)
        if RESERVED_KEY in extras:
            faults.append(Fault("reserved_key", line, RESERVED_KEY, "a key that Stepmark uses", "Rename the key."))
    if faults:
        return None, faults
    starts = extras.get(STARTING_STEPS)
    metadata = orjson.dumps({STARTING_STEPS: starts}).decode() if starts else "{}"
    return ParsedRow(problem_record(row, split, metadata), _trace_record(row, extras)), []


def with_texts(row: dict[str, Any]) -> dict[str, Any]:
    """Return the row with an id or level that is a number converted to text."""
    numbers = {key: str(row[key]) for key in ("problem_id", "level") if type(row.get(key)) in (int, float)}
    return {**row, **numbers} if numbers else row


def with_whole_numbers(row: dict[str, Any], *names: str) -> dict[str, Any]:
    """Return the row with whole step numbers and ratings as integers: pandas writes 1.0 if other values are missing.

    `names`: further keys with a step's number.
    """
    whole: dict[str, Any] = {
        name: whole_number(row[name]) for name in ("first_error", *names) if type(row.get(name)) is float
    }
    ratings = row.get("step_labels")
    if isinstance(ratings, list) and float in map(type, ratings):
        whole["step_labels"] = [whole_number(rating) for rating in ratings]
    return {**row, **whole} if whole else row


def problem_record(row: dict[str, Any], split: str, metadata: str = "{}") -> ProblemRecord:
    """Return the problem that a checked row describes."""
    get = row.get
    return ProblemRecord(
        row["problem"],
        get("problem_id") or "",
        get("ground_truth_answer"),
        get("ground_truth_solution"),
        split,
        get("subject") or "",
        get("level") or "",
        get("source") or "",
        get("licence") or "",
        metadata,
        tuple(get("ground_truth_answers") or ()),
    )


def _trace_record(row: dict[str, Any], extras: dict[str, Any]) -> TraceRecord:
    get = row.get
    return TraceRecord(
        row["steps"],
        get("source") or "",
        get("generator") or "",
        get("final_answer"),
        OUTCOMES[get("final_answer_correct")],
        get("first_error"),
        get("step_labels"),
        extras,
        _recorded_by(row),
        [(one["step"], one["kind"], one["text"]) for one in get(SUGGESTIONS) or ()],
        typed=typed_of(row),
    )


def _recorded_by(row: dict[str, Any]) -> str:
    """Return the rater that the row names: in the `label` of a Stepmark export, or as labeler or annotator."""
    label = row.get("label")
    named = (label.get("labeler") if isinstance(label, dict) else None, row.get("labeler"), row.get("annotator"))
    return next((name for name in named if isinstance(name, str) and 0 < len(name) <= NAME_LIMIT), "")


def problem_faults(row: dict[str, Any], line: int) -> Iterator[Fault]:
    """Yield faults in the keys that describe a problem, and in the short texts of the row."""
    problem = row.get("problem")
    if not isinstance(problem, str):
        yield wrong_type(row, "problem", line, "a text")
    elif not problem.strip():
        yield Fault("empty_problem", line, "problem", shown(problem), "Give the problem's text.")
    for name in TEXT_FIELDS:
        value = row.get(name)
        if value is not None and not isinstance(value, str):
            several = name == "ground_truth_answer" and isinstance(value, list)
            more = "; put further right answers into `ground_truth_answers`" if several else ""
            yield wrong_type(row, name, line, f"a text or null{more}")
    yield from _answers_faults(row, line)
    starts = row.get(STARTING_STEPS)
    if isinstance(starts, list) and starts:
        yield from step_faults(starts, line, STARTING_STEPS)
    elif starts is not None and starts != []:
        yield wrong_type(row, STARTING_STEPS, line, "a list of texts, or null")
    for name, limit in SHORT_FIELDS.items():
        value = row.get(name)
        if value is None:
            continue
        if not isinstance(value, str):
            yield wrong_type(row, name, line, "a text or null")
        elif len(value) > limit:
            found = f"{len(value):,} characters: {shown(value[:40])}"
            yield Fault("text_too_long", line, name, found, f"Shorten it to {limit} characters.")


def _answers_faults(row: dict[str, Any], line: int) -> Iterator[Fault]:
    answers = row.get("ground_truth_answers")
    if answers is None:
        return
    if not isinstance(answers, list) or len(answers) > MOST_ANSWERS:
        yield wrong_type(row, "ground_truth_answers", line, f"a list of up to {MOST_ANSWERS} texts, or null")
        return
    for index, answer in enumerate(answers):
        if not isinstance(answer, str) or not answer.strip():
            do = "Give each further right answer as text, or leave it out."
            yield Fault("wrong_type", line, f"ground_truth_answers[{index}]", shown(answer), do)


def _trace_faults(row: dict[str, Any], line: int) -> Iterator[Fault]:
    steps = row.get("steps")
    if not isinstance(steps, list):
        yield wrong_type(row, "steps", line, "a list of texts")
        return
    yield from step_faults(steps, line, "steps")
    correct = row.get("final_answer_correct")
    if correct is not None and type(correct) is not bool:
        yield wrong_type(row, "final_answer_correct", line, "true, false or null")
    first_error = row.get("first_error")
    if first_error is not None:
        if type(first_error) is not int:
            yield wrong_type(row, "first_error", line, "a step's number from 0, -1 or null")
        elif not -1 <= first_error < len(steps):
            do = f"Use -1 (no error), a step's number from 0 to {len(steps) - 1}, or null (nobody looked)."
            yield Fault("no_such_step", line, "first_error", shown(first_error), do)
    if row.get(TYPED) is not None:
        yield from typed_faults(typed_of(row), len(steps), line)
    if row.get(SUGGESTIONS) is not None:
        yield from _suggestion_faults(row, len(steps), line)
    if row.get("step_labels") is not None:
        yield from _rating_faults(row, len(steps), line)


def _suggestion_faults(row: dict[str, Any], steps: int, line: int) -> Iterator[Fault]:
    """Check suggestions. Each is `{step, kind, text}`: a machine's explanation of a step's mistake, or its
    replacement."""
    suggestions = row[SUGGESTIONS]
    if not isinstance(suggestions, list) or len(suggestions) > MOST_SUGGESTIONS:
        yield wrong_type(row, SUGGESTIONS, line, f"a list of up to {MOST_SUGGESTIONS:,} objects, or null")
        return
    for index, one in enumerate(suggestions):
        place = f"{SUGGESTIONS}[{index}]"
        if not isinstance(one, dict):
            yield Fault("wrong_type", line, place, shown(one), "Give an object with step, kind and text.")
            continue
        step, kind, text = one.get("step"), one.get("kind"), one.get("text")
        if type(step) is not int or not 0 <= step < steps:
            yield Fault("no_such_step", line, f"{place}.step", shown(step), f"Number steps from 0 to {steps - 1}.")
        if kind not in SUGGESTION_KINDS:
            do = "A suggestion is an `explanation` of the mistake or an `alternative` next step."
            yield Fault("unknown_kind", line, f"{place}.kind", shown(kind), do)
        if not isinstance(text, str) or not text.strip():
            yield Fault("wrong_type", line, f"{place}.text", shown(text), "Give the suggestion's text.")


def _rating_faults(row: dict[str, Any], steps: int, line: int) -> Iterator[Fault]:
    ratings = row["step_labels"]
    if not isinstance(ratings, list):
        yield wrong_type(row, "step_labels", line, "a list of ratings or null")
        return
    for index, rating in enumerate(ratings):
        if rating is not None and (type(rating) is not int or rating not in RATINGS):
            do = "A rating is -1, 0, 1, or null where nobody rated."
            yield Fault("bad_rating", line, f"step_labels[{index}]", shown(rating), do)
    if len(ratings) != steps:
        do = "Give one rating per step, null where nobody rated."
        said = f"{count_of(len(ratings), 'rating')}, {count_of(steps, 'step')}"
        yield Fault("ratings_do_not_match_steps", line, "step_labels", said, do)


def _marks(row: dict[str, Any]) -> int:
    return 2 if "steps" in row else 0


FORMAT = ImportFormat(
    name="neutral",
    title="Traces",
    means="One trace per line: problem, steps, final answer, and ratings where there are any.",
    looks_like="`problem` and `steps`.",
    leaves="Nothing: further keys are kept.",
    sniff=_marks,
    read=parse,
)
