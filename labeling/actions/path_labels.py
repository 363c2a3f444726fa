"""The end of a chosen path: it becomes its task's trace, and the ratings along it become step labels."""

from collections.abc import Iterator
from dataclasses import replace
from datetime import datetime
from typing import Any

from labeling.errors import PathMoved, SubmissionIncomplete
from labeling.formats.prm800k import EXTRA_KEY
from labeling.grading.extraction import extract_answer
from labeling.models import Completion, GoldResult, Label, PathStep, StepLabel, Task, Trace
from labeling.protocol.active_time import ActiveTime
from labeling.protocol.path import RatingOrFlag, merged
from labeling.protocol.submission import Submission
from labeling.queries.gold_paths import gold_met, told_by
from labeling.queries.paths import Path, path_of, prefix_key, said_of, steps_of

Json = dict[str, Any]


def with_path(label: Label, submission: Submission) -> Submission:
    """Return the submission of a locked label with its path's ratings. Ratings of the open step are kept with it.

    Raises PathMoved if it is about another path, SubmissionIncomplete for a solution without an answer.
    """
    path, sent = path_of(label), submission.path or {}
    if path.key.hex() != sent.get("prefix_hash"):
        raise PathMoved(path=path)
    if submission.finish_reason == "solution" and path.ended != "final_answer":
        missing = [{"code": "no_final_answer", "step": None}]
        raise SubmissionIncomplete("The path has no final answer yet.", missing=missing)
    _keep_open(path, sent.get("ratings", []))
    label.task.trace.steps = path.texts
    return replace(submission, ratings=_ratings(path), path=sent)


def judge_path(label: Label, *, now: datetime) -> None:
    """Judge a finished path as gold. Records nothing for work, or if it left the gold before that could be judged."""
    gold = gold_met(label.task.round, label.task.trace.problem_id)
    if gold is None:
        return
    steps = steps_of([label.pk]).get(label.pk, [])
    told = told_by(gold, len(path_given(steps, label.task.trace)), steps)
    if told is None:
        GoldResult.objects.filter(label=label).delete()
        return
    about = {"gold": gold, "project_id": label.project_id, "labeler_id": label.labeler_id, "at": now}
    said = {"kind": label.task.kind, "verdict": told.verdict, "passed": told.passed, "weighed_at": None}
    GoldResult.objects.update_or_create(label=label, defaults=about | said)


def keep_path(label: Label) -> None:
    """Write the path into the label's trace, or into a twin of its task if that is or will be another label's."""
    path = path_of(label)
    taken = path.task.kind == Task.Kind.GOLD and label.submitted_at is None
    taken = taken or Label.objects.filter(task=label.task_id).exclude(pk=label.pk).exclude(submitted_at=None).exists()
    trace = _twin(label, path) if taken else path.trace
    answer = extract_answer(path.texts[-1:]) if path.ended == "final_answer" else None
    Completion.objects.filter(trace=trace).delete()  # of an earlier submission of this label
    written = {"steps": path.texts, "final_answer": answer.text if answer else None}
    Trace.objects.filter(pk=trace.pk).update(**written, outcome=Trace.Outcome.UNGRADED, grader_version="")
    human = [step.step for step in path.steps if step.written is not None]
    label.extra = {EXTRA_KEY: {"phase": 1} | ({"human_steps": human} if human else {})}
    Label.objects.filter(pk=label.pk).update(extra=label.extra, task=label.task_id)
    label.task.trace = trace
    for name, value in written.items():
        setattr(trace, name, value)


def path_step_labels(label: Label, time: ActiveTime) -> list[StepLabel]:
    """Return the ratings along the path as rows to write: one for every completion shown, also for equal ones."""
    trace = label.task.trace
    steps = steps_of([label.pk]).get(label.pk, [])
    rows = [_row(label, place, None, 0, RatingOrFlag(), chosen=True) for place in range(len(path_given(steps, trace)))]
    for step in steps:
        rows += _rows_of(label, step)
    for row in rows:
        if row.completion is None and row.step_index < len(time.per_step):
            row.active_ms = time.per_step[row.step_index]
    Completion.objects.bulk_create(row.completion for row in rows if row.completion is not None)
    return rows


def path_given(steps: list[PathStep], trace: Trace) -> list[str]:
    """Return the starting steps of a stored path."""
    return trace.steps[: steps[0].step] if steps else trace.steps


def _rows_of(label: Label, step: PathStep) -> Iterator[StepLabel]:
    said = said_of(step)
    texts = step.offer.texts[: step.shown]
    number_of = {place: one.number for one in merged(texts) for place in one.places}
    for place, text in enumerate(texts):
        own = place == step.chosen
        completion = None if own else Completion(trace=label.task.trace, step_index=step.step, text=text)
        yield _row(label, step.step, completion, place, said.get(number_of[place], RatingOrFlag()), chosen=own)
    if step.written is not None:
        yield _row(label, step.step, None, 0, RatingOrFlag(), chosen=False)


def _row(
    label: Label, step: int, completion: Completion | None, position: int, said: RatingOrFlag, *, chosen: bool
) -> StepLabel:
    return StepLabel(
        label=label,
        step_index=step,
        completion=completion,
        position=position,
        rating=said.rating,
        flagged=said.flagged,
        chosen=chosen,
    )


def _keep_open(path: Path, ratings: list[Json]) -> None:
    """When a labeler gives up, keep the open step with its ratings."""
    if not path.visible or path.ended is not None or path.offer is None:
        return
    said = {one["number"]: RatingOrFlag(one["rating"], one["flagged"]) for one in ratings}
    step = path.open or PathStep(label=path.label, step=len(path.texts), offer=path.offer)
    known = {one.number for one in merged(path.visible)}
    step.shown = len(path.visible)
    step.said = [[number, one.rating, one.flagged] for number, one in sorted(said.items()) if number in known]
    step.save()


def _ratings(path: Path) -> list[int | None]:
    chosen = [
        said_of(step).get(step.chosen, RatingOrFlag()).rating if step.chosen is not None else None
        for step in path.steps
    ]
    return [*(None for _ in path.given), *chosen]


def _twin(label: Label, path: Path) -> Trace:
    """Create a task and a trace like the label's for this path alone, as the originals hold someone else's."""
    old = path.trace
    trace = Trace.objects.create(
        project_id=old.project_id,
        problem=old.problem,
        source=old.source,
        generator=old.generator,
        sampling=old.sampling,
        steps=path.texts,
        is_path=True,
        trace_hash=prefix_key(old, [f"label {label.pk}"]),
    )
    task = Task.objects.create(  # no GoldPath: nobody should follow this one
        round_id=path.task.round_id,
        trace=trace,
        reason=path.task.reason,
        order_key=path.task.order_key,
        labels_wanted=0,
        kind=path.task.kind,
    )
    label.task, task.round = task, label.task.round
    return trace
