"""What the labeling page gets, built by hand: LabelOut takes 0.1 ms a label, and a claim may return two.

LabelOut describes it. Each test that claims or opens a label checks it against that (labeling.tests.conformance).
"""

from collections.abc import Mapping
from typing import Any

from django.utils import timezone

from labeling import queries
from labeling.errors import SubmissionMismatch
from labeling.formats.typed_steps import shown_steps
from labeling.models import Label
from labeling.protocol.submission import Submission
from labeling.queries.carried_over import Carried, carried_over, judged_before
from labeling.queries.held_labels import HELD
from labeling.queries.labels import revisable_until
from labeling.queries.tasks import Claim
from labeling.queries.traces import alternatives, numbers_of

NAMES_ALTERNATIVES = ("alternatives", "carried")


def label_out(label: Label) -> dict[str, Any]:
    """Everything about a label that the labeling page shows. Nothing in it distinguishes gold from other work."""
    trace = label.task.trace
    problem = trace.problem
    project = label.project
    makes_path = queries.paths.makes_path(label)  # then nothing is offered beside the steps, or known of them
    shows_steps = not makes_path or label.submitted_at is not None  # there may be another's path
    numbers = {} if makes_path else numbers_of(trace)
    return {
        "id": label.pk,
        "status": label.status,
        "project": {"slug": project.slug, "name": project.name},
        "round": _round(label),
        "protocol": label.task.round.protocol,
        "problem": {
            "text": problem.text,
            "answer": problem.answer,
            "accepted_answers": problem.accepted_answers,
            "subject": problem.subject,
            "level": problem.level,
        },
        "steps": trace.steps if shows_steps else [],
        "typed_steps": shown_steps(trace.typed_steps) if shows_steps and trace.typed_steps else None,
        "alternatives": [] if makes_path else [{**one, "id": numbers[one["id"]]} for one in alternatives(trace)],
        "after_error": _after_error(label),
        "carried": [] if makes_path else [_carried(known, numbers) for known in carried_over(label)],
        "earlier_labels": len(judged_before(label)),
        "outcome": trace.outcome,
        "leased_until": label.leased_until if label.status in HELD else None,
        "server_time": timezone.now(),
        "opened_at": label.opened_at,
        "finished_at": label.submitted_at,
        "draft": label.draft,
        "draft_revision": label.draft_revision,
        "guideline_version": label.guideline.version if label.guideline else 0,
        "surplus": label.surplus,
        "submission": label.submission and _renamed(label.submission, numbers),
        "can_revise_until": revisable_until(label),
        "reference_solution_available": (project.reference_solution and problem.reference_solution is not None),
        "machine": _machine(label),
    }


def _machine(label: Label) -> str | None:
    """When the page should ask for a machine's marks. It does not contain them."""
    when = label.task.round.machine.get("when")
    return when if when == "after" or label.task.assisted else None


def _after_error(label: Label) -> dict[str, Any]:
    asked = label.task.round.after_error_config
    scheme = asked.error_scheme
    return {
        "kinds": [{"code": scheme.stored(kind.code), "title": kind.title, "about": kind.about} for kind in scheme.kinds]
        if scheme
        else [],
        "asked": list(asked.asked),
        "suggests": asked.suggests,
    }


def _carried(known: Carried, numbers: dict[int, int]) -> dict[str, Any]:
    return {
        "step": known.step,
        "completion": None if known.completion is None else numbers[known.completion],
        "rating": known.rating,
        "flagged": known.flagged,
        "label_id": known.label_id,
        "submitted_at": known.submitted_at,
    }


def _renamed(said: dict[str, Any], names: Mapping[int, int]) -> dict[str, Any]:
    """A submission in which each alternative has its other name. Alternatives without one are left out."""
    known: dict[int | None, int | None] = {None: None} | dict(names.items())
    return said | {
        part: [
            one | {"completion": known[one["completion"]]} for one in said.get(part, []) if one["completion"] in known
        ]
        for part in NAMES_ALTERNATIVES
    }


def submission_in(label: Label, body: dict[str, Any]) -> Submission:
    """What a labeler sends, with alternatives' ids in place of their numbers. Raises SubmissionMismatch."""
    if not queries.paths.makes_path(label):
        body = body | {"path": None}
    if not label.task.trace.is_run:
        body = body | {"run_marks": None}
    named = {one["completion"] for part in NAMES_ALTERNATIVES for one in body[part]} - {None}
    if not named:
        return Submission(**body)
    ids = {number: pk for pk, number in numbers_of(label.task.trace).items()}
    if named - set(ids):
        raise SubmissionMismatch("An alternative is rated that this trace does not offer. Reload the page.")
    return Submission(**_renamed(body, ids))


def claim_out(claim: Claim) -> dict[str, Any]:
    """What a claim returned, or why it returned nothing."""
    return {
        "label": label_out(claim.label) if claim.label else None,
        "next": label_out(claim.next) if claim.next else None,
        "empty": claim.empty.__dict__ if claim.empty else None,
        "further": list(claim.further),
        "leased": label_out(claim.leased) if claim.leased else None,
    }


def _round(label: Label) -> dict[str, Any]:
    round_ = label.task.round
    return {"id": round_.pk, "number": round_.number, "name": round_.name}
