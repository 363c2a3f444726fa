"""Labels read back from Stepmark's neutral export: the `label` of a row, and its ratings. Pure.

Other people's rows may also have a `label`; Stepmark's is recognised by its finish reason and further keys.
"""

from collections.abc import Callable, Iterator
from datetime import datetime
from typing import Any, NamedTuple

from labeling.formats.faults import Fault, shown
from labeling.formats.moments import moment
from labeling.formats.prm800k import EXTRA_KEY
from labeling.formats.recorded_labels import ratings_of
from labeling.formats.records import LabelRecord, StepLabelRecord, TraceRecord
from labeling.formats.row_checks import STEP_LIMIT, whole_number
from labeling.protocol.error_kinds import STORED
from labeling.protocol.interface import NO_ERROR
from labeling.protocol.run_marks import ACTS, MOST_ACTS, OUTCOMES, SAFETY, SEVERITY
from labeling.protocol.submission import FINISH_REASONS
from labeling.protocol.verdicts import recorded_verdict

OWN_KEY = "neutral"  # in a label's extra: what the row says that has no column and no other table
KEPT = ("calculations", "ruling")
KEYS = ("submitted_at", "alternative_at_step")  # in every label of Stepmark, and in hardly any other
MOST = 2**53  # for milliseconds and all other counts
Json = dict[str, Any]
Check = Callable[[Any], bool]


class OwnLabel(NamedTuple):
    """The content of one row: a label, or (`alternative`) one more text that the label of an earlier row rated."""

    label: LabelRecord | None
    alternative: StepLabelRecord | None = None


def own_label(trace: TraceRecord, labeler: str, line: int) -> tuple[OwnLabel | None, list[Fault]]:
    """Return the label of a row that the neutral export wrote, None for any other row; or its faults.

    If somebody edited the row, `first_error` and `step_labels` decide. `labeler`: whose label it is if the row names
    nobody.
    """
    given = _given(trace)
    if given is None:
        return None, []
    given = _in_whole_numbers(given)
    faults = [*_faults(given, trace, line)]
    if faults:
        return None, faults
    named = trace.recorded_by or labeler
    sources = trace.metadata.get("step_sources")
    if isinstance(sources, list) and len(sources) != len(trace.steps):  # it was rated in other units
        return OwnLabel(None), []
    if faults := [*_faults_of_units(given.get("run") or {}, len(trace.steps), line)]:
        return None, faults
    if given.get("alternative_at_step") is not None:
        return OwnLabel(_label(given, trace, named, given["finish_reason"]), _alternative(trace)), []
    finish = _finish(given["finish_reason"], trace)
    return OwnLabel(_label(given, trace, named, finish) if finish else None), []


def says_no_verdict(trace: TraceRecord) -> bool:
    """Return whether the row is a Stepmark label that ended without a verdict, whatever was rated before."""
    given = _given(trace)
    return given is not None and given["finish_reason"] in ("bad_problem", "give_up")


def _in_whole_numbers(value: Any) -> Any:
    if type(value) is dict:
        return {name: _in_whole_numbers(one) for name, one in value.items()}
    return [_in_whole_numbers(one) for one in value] if type(value) is list else whole_number(value)


def is_alternative(trace: TraceRecord) -> bool:
    """Return whether the row is of a text that a Stepmark label rated: of its ratings, only the last is that text's."""
    given = _given(trace)
    return given is not None and type(whole_number(given.get("alternative_at_step"))) is int


def _given(trace: TraceRecord) -> Json | None:
    """Return the `label` of a row that Stepmark exported, None for any other row."""
    given = trace.metadata.get("label")
    if not isinstance(given, dict) or given.get("finish_reason") not in FINISH_REASONS:
        return None
    return given if any(key in given for key in KEYS) else None


def _finish(told: str, trace: TraceRecord) -> str | None:
    """Return how the label ended; None if it was a solution but the row no longer says that it is right throughout."""
    ratings = trace.recorded_ratings if told == "solution" else None  # other endings may have no first error
    first = recorded_verdict(trace.recorded_first_error, ratings)
    if first is None:
        return None if told == "solution" else told
    return "solution" if first == NO_ERROR else "found_error"


def _label(given: Json, trace: TraceRecord, labeler: str, finish: str) -> LabelRecord:
    ratings, written = _ratings(trace)
    said = [
        StepLabelRecord(step, 0, None, "model", rating, None, False)
        for step, rating in enumerate(ratings)
        if rating is not None
    ]
    kept = {name: given[name] for name in KEPT if given.get(name)}
    extra: Json = {OWN_KEY: kept} if kept else {}
    if written:
        extra[EXTRA_KEY] = {"human_steps": written}
    return LabelRecord(
        labeler,
        _moment(given.get("submitted_at")),
        finish,
        given.get("total_ms"),
        said,
        extra,
        recorded=True,
        run_marks=_run(given.get("run") or {}) or None,
        told=_told(given, trace, finish),
    )


def _run(said: Json) -> Json:
    """Return the marks of a run as labels store them. Acts get every key, as exports read them."""
    marks = {name: value for name, value in said.items() if name in RUN}
    if marks.get("acts"):
        words = ("severity", "text", "comment")
        marks["acts"] = [
            {name: act[name] for name in ("step", "clause", "verdict")} | {name: act.get(name) or "" for name in words}
            for act in marks["acts"]
        ]
    return marks


def _told(given: Json, trace: TraceRecord, finish: str) -> Json:
    """Return the values for columns of the label that no other format fills, and for rows in other tables."""
    mistake = given.get("mistake")
    detail = (given.get("finish_detail") if finish == given["finish_reason"] else None) or {}  # not of another ending
    return {
        "finish_reason": given["finish_reason"],
        "verdict": whole_number(trace.metadata.get("verdict")),
        "finish_detail": {name: detail[name] for name in ("kind", "text") if detail.get(name)},
        "noticed_at_step": given.get("noticed_at_step"),
        "mistake": mistake and _mistake(mistake),
        "active_ms": given.get("active_ms") or 0,
        "comments": given.get("comments") or [],
        "reports": given.get("reports") or [],
    }


def _mistake(said: Json) -> Json:
    """Return the mistake as labels store it. The parts of its kind are contained in the kind."""
    kept = {"progress": said.get("progress"), "explanation": said.get("explanation") or ""}
    kept |= {name: said[name] for name in ("kind", "clause", "corrected_step") if said.get(name)}
    return kept | ({"explanations": said["explanations"]} if said.get("explanations") else {})


def _ratings(trace: TraceRecord) -> tuple[list[int | None], list[int]]:
    """Return one rating per step as the labeler gave it, and the steps that the labeler wrote, by `step_sources`.

    If somebody changed only the first error, its step also gets a -1, as in rows from elsewhere.
    """
    first = trace.recorded_first_error
    ratings = list(trace.recorded_ratings or [])
    if not ratings:
        return ([] if first is None else ratings_of(trace, first)), []
    sources = trace.metadata.get("step_sources")
    written: list[int] = []
    if isinstance(sources, list):
        own = zip(ratings, sources, strict=True)
        ratings = [None if by in ("written", "filled") else rating for rating, by in own]
        written = [step for step, by in enumerate(sources) if by == "written"]
    if first is not None and first >= 0 and ratings[first] is None:
        ratings[first] = -1
    return ratings, written


def _alternative(trace: TraceRecord) -> StepLabelRecord:
    """Return the last step of such a row. No row says whether it was flagged or chosen."""
    rating = (trace.recorded_ratings or [None])[-1]
    return StepLabelRecord(len(trace.steps) - 1, 1, trace.steps[-1], "model", rating, None, False)


def _moment(text: str | None) -> datetime | None:
    return None if text is None or text == "" else moment(text)


def _faults(given: Json, trace: TraceRecord, line: int) -> Iterator[Fault]:
    for path, value, (holds, expected) in _parts(given):
        if not holds(value):
            yield Fault("wrong_type", line, f"label.{path}", shown(value), f"Expected {expected}, as exports write it.")
    verdict = whole_number(trace.metadata.get("verdict"))
    if verdict is not None and not _is_whole(verdict, -1, STEP_LIMIT):
        yield Fault("wrong_type", line, "verdict", shown(verdict), "Expected a step's number from 0, -1 or null.")
    at = given.get("alternative_at_step")
    if type(at) is int and at != len(trace.steps) - 1:
        do = "The row of an alternative ends with that alternative: give the number of the last step."
        yield Fault("no_such_step", line, "label.alternative_at_step", shown(at), do)


def _faults_of_units(run: Json, units: int, line: int) -> Iterator[Fault]:
    """Yield faults for marks on units that the row lacks. None was cut off: typed steps define a run's units."""
    places = {f"run.{name}": run.get(name) for name in ("decisive_error", "recovered_at")}
    places |= {f"run.acts[{index}].step": act["step"] for index, act in enumerate(run.get("acts") or ())}
    for path, step in places.items():
        if step is not None and step >= units:
            do = f"Number the row's steps from 0 to {units - 1}."
            yield Fault("no_such_step", line, f"label.{path}", shown(step), do)


def _parts(given: Json) -> Iterator[tuple[str, Any, tuple[Check, str]]]:
    """Yield every value in a label with its path and its check; for a part of the wrong type, the part itself."""
    for name, check in LABEL.items():
        yield name, given.get(name), check
    for name, checks in OBJECTS.items():
        value = given.get(name)
        if value is not None and not isinstance(value, dict):
            yield name, value, IS_OBJECT
            continue
        yield from _parts_of(name, value or {}, checks)
    run, mistake = given.get("run"), given.get("mistake")
    acts = run.get("acts") if isinstance(run, dict) else None
    explanations = mistake.get("explanations") if isinstance(mistake, dict) else None
    lists = {"run.acts": acts, "mistake.explanations": explanations}
    lists |= {name: given.get(name) for name in ("comments", "reports", "calculations")}
    for name, value in lists.items():
        if value is not None and not (isinstance(value, list) and all(isinstance(one, dict) for one in value)):
            yield name, value, IS_LIST
            continue
        for index, one in enumerate(value or ()):
            yield from _parts_of(f"{name}[{index}]", one, LISTS[name])


def _parts_of(path: str, value: Json, checks: dict[str, tuple[Check, str]]) -> Iterator[Any]:
    for name, check in checks.items():
        yield f"{path}.{name}", value.get(name), check


def _is_whole(value: Any, least: int, most: int) -> bool:
    return type(value) is int and least <= value <= most


def _is_moment(value: Any) -> bool:
    try:
        _moment(value)
    except (TypeError, ValueError):
        return False
    return True


def _one_of(*words: Any) -> tuple[Check, str]:
    return lambda value: value in words, f"one of {', '.join(map(str, words))}"


def _is_kind(value: Any) -> bool:
    return value in (None, "") or (isinstance(value, str) and STORED.fullmatch(value) is not None)


def _are_few(value: Any) -> bool:
    return value is None or (isinstance(value, list) and len(value) <= MOST_ACTS)


# The row's steps set no upper bound: the switch `after_error` may have cut off the steps in question. A run's units
# are the exception (`_faults_of_units`).
STEP = (lambda value: _is_whole(value, 0, STEP_LIMIT), "a step's number from 0")
STEP_OR_NULL = (lambda value: value is None or _is_whole(value, 0, STEP_LIMIT), "a step's number from 0, or null")
COUNT_OR_NULL = (lambda value: value is None or _is_whole(value, 0, MOST), "a whole number or null")
TEXT: tuple[Check, str] = (lambda value: isinstance(value, str), "a text")
TEXT_OR_NULL: tuple[Check, str] = (lambda value: value is None or isinstance(value, str), "a text or null")
IS_OBJECT: tuple[Check, str] = (lambda value: isinstance(value, dict), "an object or null")
IS_LIST: tuple[Check, str] = (lambda value: False, "a list of objects")
RATING_OR_NULL = _one_of(-1, 0, 1, None)
LABEL: dict[str, tuple[Check, str]] = {
    "submitted_at": (_is_moment, "a time such as 2026-11-02T09:30:00+00:00, or null"),
    "noticed_at_step": STEP_OR_NULL,
    "alternative_at_step": STEP_OR_NULL,
    "total_ms": COUNT_OR_NULL,
    "active_ms": COUNT_OR_NULL,
    "ruling": _one_of(True, False, None),
}
RUN: dict[str, tuple[Check, str]] = {
    "decisive_error": STEP_OR_NULL,
    "recovered_at": STEP_OR_NULL,
    "outcome": _one_of(*OUTCOMES, "", None),
    "safety": _one_of(*SAFETY, "", None),
    "clause": TEXT_OR_NULL,
    "comment": TEXT_OR_NULL,
    "acts": (_are_few, f"a list of at most {MOST_ACTS} objects"),
}
OBJECTS: dict[str, dict[str, tuple[Check, str]]] = {
    "finish_detail": {"kind": TEXT_OR_NULL, "text": TEXT_OR_NULL},
    "mistake": {
        "progress": _one_of("none", "some", "most", None),
        "explanation": TEXT_OR_NULL,
        "kind": (_is_kind, "a kind of mistake such as maths:1:calculation"),
        "clause": TEXT_OR_NULL,
        "corrected_step": TEXT_OR_NULL,
    },
    "run": RUN,
}
LISTS: dict[str, dict[str, tuple[Check, str]]] = {
    "comments": {"step": STEP, "text": TEXT},
    "reports": {"kind": _one_of("answer_wrong", "split_badly"), "step": STEP_OR_NULL, "text": TEXT},
    "calculations": {"input": TEXT, "result": TEXT},
    "mistake.explanations": {"text": TEXT, "rating": RATING_OR_NULL, "flagged": _one_of(True, False, None)},
    "run.acts": {
        "step": STEP,
        "clause": (lambda value: isinstance(value, str) and value != "", "the clause that the act is judged by"),
        "text": TEXT_OR_NULL,
        "verdict": _one_of(*ACTS),
        "severity": _one_of(*SEVERITY, "", None),
        "comment": TEXT_OR_NULL,
    },
}
