"""Label rows as JSON values, for the serializers of `labels.py` to describe."""

from collections.abc import Sequence
from typing import Any

from django.utils import timezone

from labeling.models import Label, StepLabel
from labeling.queries.carried_over import Carried, carried_over, judged_before
from labeling.queries.label_comparison import may_compare
from labeling.queries.labels import revisable_until
from labeling.queries.tasks import Claim
from labeling.queries.traces import alternatives


def label_out(label: Label) -> dict[str, Any]:
    """All that the labeling page shows of a label. Nothing in it tells gold from other work."""
    trace = label.task.trace
    problem = trace.problem
    project = label.project
    return {
        "id": label.pk,
        "status": label.status,
        "project": {"slug": project.slug, "name": project.name},
        "round": _round(label),
        "protocol": label.task.round.protocol,
        "task_id": label.task_id,
        "problem": {
            "text": problem.text,
            "answer": problem.answer,
            "subject": problem.subject,
            "level": problem.level,
        },
        "steps": trace.steps,
        "alternatives": alternatives(trace),
        "carried": [_carried(known) for known in carried_over(label)],
        "earlier_labels": len(judged_before(label)),
        "outcome": trace.outcome,
        "leased_until": label.leased_until,
        "server_time": timezone.now(),
        "opened_at": label.opened_at,
        "draft": label.draft,
        "draft_revision": label.draft_revision,
        "guideline_version": label.guideline.version if label.guideline else 0,
        "surplus": label.surplus,
        "submission": label.submission,
        "can_revise_until": revisable_until(label),
        "reference_solution_available": (project.reference_solution and problem.reference_solution is not None),
    }


def _carried(known: Carried) -> dict[str, Any]:
    return {
        "step": known.step,
        "completion": known.completion,
        "rating": known.rating,
        "flagged": known.flagged,
        "task_id": known.task_id,
        "submitted_at": known.submitted_at,
    }


def claim_out(claim: Claim) -> dict[str, Any]:
    """What a claim gave, or why it gave nothing."""
    return {
        "label": label_out(claim.label) if claim.label else None,
        "next": label_out(claim.next) if claim.next else None,
        "empty": claim.empty.__dict__ if claim.empty else None,
    }


def summary(label: Label, ratings: Sequence[int | None] | None = None) -> dict[str, Any]:
    """A label in a list; `step_labels` should be prefetched, or its ratings given."""
    ratings = own_ratings(label) if ratings is None else ratings
    return {
        "id": label.pk,
        "task_id": label.task_id,
        "round": _round(label),
        "labeler": {"id": label.labeler_id, "display_name": label.labeler.shown_name},
        "status": label.status,
        "finish_reason": label.finish_reason,
        "submitted_at": label.submitted_at,
        "active_ms": label.active_ms,
        "rated_steps": sum(rating is not None for rating in ratings),
        "verdict": label.verdict,
        "problem_text": label.task.trace.problem.text[:160],
        "surplus": label.surplus,
        "can_revise_until": revisable_until(label),
        "can_compare": may_compare(label, timezone.now()),
        "supersedes": label.supersedes_id,
        "has_draft": label.draft is not None,
    }


def earlier(label: Label) -> dict[str, Any]:
    """A label as it is shown beside the work on another trace of its problem."""
    return {
        "task_id": label.task_id,
        "submitted_at": label.submitted_at,
        "finish_reason": label.finish_reason,
        "verdict": label.verdict,
        "steps": label.task.trace.steps,
        "ratings": own_ratings(label),
    }


def detail(label: Label) -> dict[str, Any]:
    """A finished label with all that it says; its rows should be prefetched."""
    steps = len(label.task.trace.steps)
    own = [row for row in label.step_labels.all() if row.completion_id is None]
    active = {row.step_index: row.active_ms for row in own}
    others = [row for row in label.step_labels.all() if row.completion_id is not None]
    return {
        **summary(label),
        "ratings": own_ratings(label),
        "carried": [
            {"step": row.step_index, "task_id": row.carried_from.label.task_id if row.carried_from else None}
            for row in own
            if row.source == StepLabel.Source.CARRIED
        ],
        "step_active_ms": [active.get(step, 0) for step in range(steps)],
        "noticed_at_step": label.noticed_at_step,
        "finish_detail": label.finish_detail,
        "mistake": label.mistake,
        "alternatives": [
            {
                "completion": row.completion_id,
                "step": row.step_index,
                "rating": row.rating,
                "flagged": row.flagged,
                "chosen": row.chosen,
            }
            for row in others
        ],
        "comments": [{"step": c.step_index, "text": c.text} for c in label.comments.all()],
        "reports": [{"kind": r.kind, "step": r.step_index, "text": r.text} for r in label.reports.all()],
        "confirmations": label.confirmations,
        "guideline_version": label.guideline.version if label.guideline else None,
        "client_build": label.client_build,
        "total_ms": label.total_ms,
        "scores_revealed_at": label.scores_revealed_at,
        "edited_after_reveal": label.edited_after_reveal,
        "note": label.extra.get("note", ""),
    }


def own_ratings(label: Label) -> list[int | None]:
    """One entry per step of the trace: what this label rated the trace's own steps."""
    ratings: list[int | None] = [None] * len(label.task.trace.steps)
    for row in label.step_labels.all():
        if row.completion_id is None and row.step_index < len(ratings):
            ratings[row.step_index] = row.rating
    return ratings


def lease(label: Label) -> dict[str, Any]:
    """A held label as the leases page shows it; progress is read from the draft."""
    rated = (label.draft or {}).get("ratings")
    rated = rated if isinstance(rated, list) else []
    return {
        "label_id": label.pk,
        "labeler": {"id": label.labeler_id, "display_name": label.labeler.shown_name},
        "task_id": label.task_id,
        "round_number": label.task.round.number,
        "status": label.status,
        "claimed_at": label.claimed_at,
        "leased_until": label.leased_until,
        "progress": {
            "rated": sum(rating is not None for rating in rated),
            "steps": len(label.task.trace.steps),
        },
        "last_seen_at": label.last_seen_at,
    }


def _round(label: Label) -> dict[str, Any]:
    round_ = label.task.round
    return {"id": round_.pk, "number": round_.number, "name": round_.name}
