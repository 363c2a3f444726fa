"""Accepts a source's marks in bulk if its agreement on a random sample clears the bar, and withdraws them as a whole.

Nothing here writes a label: accepted marks are rows of their own, which record what they are based on.
"""

from dataclasses import asdict

from django.db import transaction
from django.utils import timezone

from labeling import queries
from labeling.actions import audit_log
from labeling.configs import TraceFilter
from labeling.errors import AcceptanceRefused, AcceptanceWithdrawn, ProjectArchived
from labeling.models import Acceptance, AcceptedMark, Project, StepScorer, User

BATCH = 10_000


@transaction.atomic
def accept_marks(project: Project, scorer: StepScorer, *, by: User, filter: TraceFilter) -> Acceptance:
    """Accept the source's marks on the fitting training traces that nobody labeled, as their own kind of label.

    Raises ProjectArchived, and AcceptanceRefused with the reason.
    """
    project = Project.objects.select_for_update(no_key=True).get(pk=project.pk)  # so that no trace is accepted twice
    if project.status == Project.Status.ARCHIVED:
        raise ProjectArchived
    stands = queries.audits.standing(project, scorer, by)
    if stands.refusal or stands.audit is None or stands.bar is None:
        raise AcceptanceRefused(stands.refusal)
    found = queries.audits.traces_to_accept(project, scorer, filter)
    if not found:
        raise AcceptanceRefused("No fitting trace has a mark by this source and is not labeled or accepted yet.")
    made = Acceptance.objects.create(
        project=project,
        scorer=scorer,
        audit=stands.audit,
        bar=stands.bar,
        sample=asdict(stands.agreement),
        filter=filter.as_json(),
        traces=len(found),
        created_by=by,
    )
    marks = (AcceptedMark(acceptance=made, trace_id=trace, verdict=verdict) for trace, verdict in found)
    AcceptedMark.objects.bulk_create(marks, batch_size=BATCH)
    about = {"source": scorer.name, "bar": stands.bar, "traces": len(found), "audit": stands.audit.number}
    audit_log.record("acceptance.create", actor=by, project=project, target=f"acceptance {made.pk}", **about)
    return made


@transaction.atomic
def withdraw_acceptance(acceptance: Acceptance, *, by: User) -> Acceptance:
    """Withdraw all marks of an acceptance. Earlier exports keep what they took. Raises AcceptanceWithdrawn."""
    live = Acceptance.objects.filter(pk=acceptance.pk, withdrawn_at=None)
    if not live.update(withdrawn_at=timezone.now(), withdrawn_by=by):
        raise AcceptanceWithdrawn
    count, _ = AcceptedMark.objects.filter(acceptance=acceptance).delete()
    audit_log.record(
        "acceptance.withdraw",
        actor=by,
        project=acceptance.project,
        target=f"acceptance {acceptance.pk}",
        traces=count,
    )
    acceptance.refresh_from_db()
    return acceptance
