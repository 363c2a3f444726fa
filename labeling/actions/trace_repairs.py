"""A repaired split: a new version of a trace, split at other places, which replaces the old one on the queue.

What labelers said about unchanged steps (same text and same text before, `labeling.protocol.carry_over`) moves to it;
the rest is asked again. Nothing of the old version is lost.
"""

from collections.abc import Sequence

from django.db import IntegrityError, transaction

from labeling.actions import audit_log
from labeling.actions.gold import retire_gold
from labeling.actions.label_consensus import resolve_consensus
from labeling.actions.problem_withdrawals import withdraw_tasks
from labeling.actions.reviews import decide
from labeling.errors import SplitNotRepaired
from labeling.formats.normalise import trace_key
from labeling.models import (
    Completion,
    Gold,
    Label,
    LabelTag,
    ReviewDecision,
    ReviewKind,
    Round,
    StepLabel,
    Task,
    Trace,
    User,
)
from labeling.protocol.carry_over import step_keys
from labeling.protocol.registry import protocol_named

SPLITTER = "by hand"
KEPT = ("project", "problem", "external_id", "source", "generator", "sampling", "final_answer", "outcome")
OF_A_LABEL = ("project", "labeler", "claimed_at", "opened_at", "submitted_at", "finish_reason", "finish_detail")
ALSO_OF_A_LABEL = ("problem", "verdict", "noticed_at_step", "mistake", "confirmations", "guideline", "client_build")
# What people decided about a label, and what its labeler had seen: it is the same judgement.
ABOUT_A_LABEL = ("excluded", "scores_revealed_at", "edited_after_reveal", "before_reveal")
# These may still hold if the trace continues differently; `solution` is about the whole trace.
OF_A_PART = (Label.FinishReason.FOUND_ERROR, Label.FinishReason.BAD_PROBLEM)


@transaction.atomic
def repair_split(task: Task, *, by: User, steps: Sequence[str], reason: str) -> Trace:
    """Replace the trace by a version with these steps, in every round that is not closed.

    Gold made from the trace is retired, since nobody has said what is accepted for the new version; open rounds
    continue to serve it, like any retired gold. Raises SplitNotRepaired if the text differs, nothing changed, or the
    trace was replaced before.
    """
    held = Trace.objects.select_for_update(no_key=True).select_related("problem", "project")
    trace = held.defer("typed_steps").get(pk=task.trace_id)
    _require_same_text(trace, steps)
    repaired = _new_version(trace, list(steps), by)
    same = _same_steps(trace, repaired)
    for gold in Gold.objects.filter(trace=trace):
        retire_gold(gold, by=by, reason=f"Its split was repaired: it is now trace {repaired.pk}.")
    work = Task.objects.filter(trace=trace, kind=Task.Kind.WORK, withdrawn=None)
    tasks = work.exclude(round__status=Round.Status.CLOSED)
    ids = list(tasks.values_list("pk", flat=True))
    labels = _lock_labels(ids)
    withdraw_tasks(ids)
    for old in Task.objects.filter(pk__in=ids).select_related("round").order_by("pk"):
        _move(old, repaired, [label for label in labels if label.task_id == old.pk], same)
    decide(task, [ReviewKind.SPLIT_BADLY], ReviewDecision.Outcome.REPAIRED, by=by, reason=reason)
    about = {"into": repaired.pk, "steps": [len(trace.steps), len(repaired.steps)], "reason": reason}
    audit_log.record("trace.repair_split", actor=by, project=trace.project, target=f"trace {trace.pk}", **about)
    return repaired


def _require_same_text(trace: Trace, steps: Sequence[str]) -> None:
    if trace.replaced_by_id is not None:
        raise SplitNotRepaired("This trace was already replaced. Repair the newer version.", trace=trace.replaced_by_id)
    if trace.is_run:
        raise SplitNotRepaired(
            "An agent's run is split by its messages or its calls. To change that, import it again with the other unit."
        )
    if any(not step.strip() for step in steps):
        raise SplitNotRepaired("A step is empty. Join it with the one before.")
    if "".join("".join(steps).split()) != "".join("".join(trace.steps).split()):
        raise SplitNotRepaired(
            "The text is different. A repair can only move the borders between steps, not change the words."
        )
    if list(steps) == trace.steps:
        raise SplitNotRepaired("Nothing has changed. Cut a step, or join two.")


def _new_version(trace: Trace, steps: list[str], by: User) -> Trace:
    try:
        with transaction.atomic():
            repaired = Trace.objects.create(
                **{name: getattr(trace, name) for name in KEPT},
                steps=steps,
                grader_version=trace.grader_version,
                splitter_version=SPLITTER,
                metadata={**trace.metadata, "repaired": {"from": trace.pk, "by": by.pk}},
                trace_hash=trace_key(bytes(trace.problem.text_hash), steps),
            )
    except IntegrityError as taken:
        raise SplitNotRepaired("The project already has a trace with exactly these steps.") from taken
    Trace.objects.filter(pk=trace.pk).update(replaced_by=repaired)
    return repaired


def _same_steps(trace: Trace, repaired: Trace) -> int:
    """Return how many steps, from the first, are the same in both, and copy the alternatives that still apply."""
    problem = bytes(trace.problem.text_hash)
    pairs = zip(step_keys(problem, trace.steps), step_keys(problem, repaired.steps), strict=False)
    same = 0
    for before, after in pairs:
        if before != after:
            break
        same += 1
    others = trace.completions.filter(step_index__lte=same)  # alternatives to a step continue what is before it
    Completion.objects.bulk_create(
        Completion(
            trace=repaired,
            step_index=other.step_index,
            text=other.text,
            source=other.source,
            metadata={**other.metadata, "carried_from": other.pk},
        )
        for other in others
    )
    return same


def _lock_labels(task_ids: list[int]) -> list[Label]:
    """Return the labels of these tasks that hold or used a slot, locked before any task is."""
    using = (Label.Status.OPEN, Label.Status.PREFETCHED, Label.Status.SUBMITTED)
    labels = Label.objects.filter(task__in=task_ids, status__in=using, surplus=False).order_by("pk")
    return list(labels.select_for_update(of=("self",)).select_related("labeler", "project"))


def _move(old: Task, repaired: Trace, labels: Sequence[Label], same: int) -> None:
    """Offer the new version in place of the old, with the labels that hold for it. The other labels' slots are free."""
    new = Task.objects.create(
        round=old.round,
        trace=repaired,
        reason=old.reason,
        rank=old.rank,
        order_key=old.order_key,
        labels_wanted=(old.withdrawn or 0),
    )
    carried = [label for label in labels if _holds(label, new, same)]
    for label in carried:
        _carry(label, new, same)
    # Slots of labels leased ahead were already counted when the task was taken off the queue.
    again = sum(label.status != Label.Status.PREFETCHED for label in labels) - len(carried)
    Task.objects.filter(pk=new.pk).update(labels_wanted=new.labels_wanted + again)
    resolve_consensus(new)


def _holds(label: Label, task: Task, same: int) -> bool:
    """Return whether everything in a label is about steps that are unchanged in the new version, and it is complete for
    that version too.
    """
    if label.status != Label.Status.SUBMITTED or label.finish_reason not in OF_A_PART:
        return False
    rows = list(label.step_labels.values_list("step_index", "completion", "rating"))
    if any(step >= same for step, _, _ in rows):
        return False
    own = {step: rating for step, completion, rating in rows if completion is None}
    ratings = [own.get(step) for step in range(len(task.trace.steps))]
    detail = label.finish_detail
    protocol = protocol_named(task.round.protocol)
    return not protocol.missing(ratings, label.finish_reason, detail.get("kind", ""), detail.get("text", ""))


def _carry(label: Label, task: Task, same: int) -> None:
    """Create the label for the new version. It supersedes the old one, which is kept with its time."""
    Label.objects.filter(pk=label.pk).update(status=Label.Status.SUPERSEDED)
    noticed = label.noticed_at_step
    moved = Label.objects.create(
        **{name: getattr(label, name) for name in (*OF_A_LABEL, *ALSO_OF_A_LABEL, *ABOUT_A_LABEL)},
        task=task,
        status=Label.Status.SUBMITTED,
        supersedes=label,
        earlier_ms=label.earlier_ms + label.active_ms,
        extra={**label.extra, "carried_from": label.pk},
    )
    if noticed is not None and noticed >= same:
        Label.objects.filter(pk=moved.pk).update(noticed_at_step=None)
    LabelTag.objects.bulk_create(LabelTag(label=moved, tag=one.tag) for one in label.tags.all())
    own = label.step_labels.filter(completion=None)
    StepLabel.objects.bulk_create(
        StepLabel(
            label=moved, step_index=row.step_index, rating=row.rating, source=StepLabel.Source.CARRIED, carried_from=row
        )
        for row in own
    )
