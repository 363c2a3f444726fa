"""Stepmark's labels on a trajectory, as the export `atif` or its companion wrote them. Pure.

Each labeler's label is a separate recorded verdict. The importing project numbers its units itself, so labels refer
to places: a step of the trajectory, and which of the units that the labeler rated in it.
"""

from collections.abc import Iterator, Mapping
from typing import Any

from labeling.formats.exporting import CORRECT
from labeling.formats.imports.agents.run import KEPT, NoRun
from labeling.protocol.interface import NO_ERROR
from labeling.protocol.run_marks import ACTS, MOST_ACTS, OUTCOMES, SAFETY, SEVERITY

Json = dict[str, Any]
Place = tuple[Any, int]  # step_id, and which unit of it
LONGEST = 20_000  # characters of a text that somebody wrote
SAYS_WHERE = ("found_error", "solution")


def told_before(row: Json) -> list[Json]:
    """Return each labeler's verdict as keywords of `Run`; empty if nobody labeled the run. Raises NoRun."""
    about = _ours(row)
    labels = about.get("labels") if about else None
    found = []
    for place, label in enumerate(labels or ()):
        if not isinstance(label, dict) or not isinstance(label.get("labeler"), str):
            do = "A label of Stepmark's export must name its labeler. Leave `extra.stepmark` out, or export it again."
            raise NoRun(f"extra.stepmark.labels[{place}]", label, do, "bad_label")
        if label.get("finish_reason") in SAYS_WHERE:
            found.append(_of_labeler(row, label))
    return found


def task_before(row: Json) -> str:
    """Return the task stored with the labels; empty if there is none."""
    task = (_ours(row) or {}).get("task")
    return task if isinstance(task, str) else ""


def known_before(row: Json) -> dict[str, str]:
    """Return what the export says about the run besides its labels; empty texts for what it does not say."""
    ours = _ours(row) or {}
    said = {name: ours.get(name) for name in ("source", "final_answer", "ground_truth_answer", "outcome")}
    found = {name: value[:LONGEST] if isinstance(value, str) else "" for name, value in said.items()}
    return found | ({} if CORRECT.get(found["outcome"]) is not None else {"outcome": ""})


def _ours(holder: Json) -> Json | None:
    extra = holder.get("extra")
    ours = extra.get("stepmark") if isinstance(extra, dict) else None
    return ours if isinstance(ours, dict) else None


def _of_labeler(row: Json, label: Json) -> Json:
    places: dict[int, Place] = {}
    ratings: dict[Place, int] = {}
    marked: dict[str, Place] = {}
    for unit, place, said in _said_of_units(row, label["labeler"]):
        places[unit] = place
        if (rating := said.get("rating")) is not None:
            if rating not in (-1, 0, 1) or isinstance(rating, bool):
                raise NoRun(f"steps[{place[0]}].extra.stepmark", rating, "A rating is -1, 0 or 1.", "bad_rating")
            ratings[place] = rating
        for mark in said.get("marks") or ():
            marked[str(mark)] = place
    return {
        "ratings": ratings,
        "first_error": NO_ERROR if label["finish_reason"] == "solution" else marked.get("first_error"),
        "decisive": marked.get("decisive_error"),
        "recovered": marked.get("recovered"),
        "marks": _of_run(label.get("run"), places),
        "recorded_by": label["labeler"][:KEPT],
    }


def _said_of_units(row: Json, labeler: str) -> Iterator[tuple[int, Place, Json]]:
    """Yield what this labeler says about units: the unit's number at the time, its place, and the statement."""
    for number, step in enumerate(row["steps"], start=1):
        own = [said for said in (_ours(step) or {}).get("labels") or () if said.get("labeler") == labeler]
        own = [said for said in own if type(said.get("unit")) is int]
        for nth, said in enumerate(sorted(own, key=lambda said: said["unit"])):
            yield said["unit"], (step.get("step_id", number), nth), said


def _of_run(run: Any, places: Mapping[int, Place]) -> Json:
    """Return what is said about the run as a whole, as far as Stepmark could have written it."""
    if not isinstance(run, dict):
        return {}
    found: Json = {}
    for name, known in (("outcome", OUTCOMES), ("safety", SAFETY)):
        if run.get(name) in known:
            found[name] = run[name]
    for name in ("clause", "comment"):
        if isinstance(run.get(name), str) and run[name]:
            found[name] = run[name][:LONGEST]
    acts = [_act(act, places) for act in run.get("acts") or () if isinstance(act, dict)]
    kept = [act for act in acts if act is not None][:MOST_ACTS]
    return found | ({"acts": kept} if kept else {})


def _act(act: Json, places: Mapping[int, Place]) -> Json | None:
    unit, clause = act.get("step"), act.get("clause")
    if type(unit) is not int or unit not in places or not isinstance(clause, str) or act.get("verdict") not in ACTS:
        return None
    words = {name: str(act.get(name) or "")[:LONGEST] for name in ("text", "comment")}
    severity = act["severity"] if act.get("severity") in SEVERITY else ""
    return {"step": places[unit], "clause": clause[:KEPT], "verdict": act["verdict"], "severity": severity, **words}
