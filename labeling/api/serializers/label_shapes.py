"""What the labeling page gets, written by hand: by LabelOut it takes 0.1 ms a label, and a claim may give two.

LabelOut describes it, and each test that claims or opens a label holds it to that (labeling.tests.conformance).
"""

from typing import Any

from django.utils import timezone

from labeling.models import Label
from labeling.queries.carried_over import Carried, carried_over, judged_before
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


def _round(label: Label) -> dict[str, Any]:
    round_ = label.task.round
    return {"id": round_.pk, "number": round_.number, "name": round_.name}
