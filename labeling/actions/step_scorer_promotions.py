"""The project's selector: the PRM that a person chose for future rounds. Existing rounds keep theirs."""

from django.db import transaction

from labeling import queries
from labeling.actions import audit_log
from labeling.errors import NothingToRollBack, PrmNotReady, ProjectArchived, PromotionChanged
from labeling.models import Project, Promotion, StepScorer, User


@transaction.atomic
def promote_prm(project: Project, prm: StepScorer, *, by: User, note: str = "") -> Promotion:
    """Make a PRM the selector. Nothing changes if it already is. Raises ProjectArchived, PrmNotReady."""
    project = _locked(project)
    if prm.status != StepScorer.Status.READY:
        raise PrmNotReady(f"The PRM {prm.name} is {prm.get_status_display().lower()}.", status=prm.status)
    now = queries.training.selector_of(project)
    if now is not None and now.scorer_id == prm.pk:
        return now
    before = now.scorer if now else None
    made = Promotion.objects.create(project=project, scorer=prm, before=before, by=by, note=note)
    audit_log.record(
        "prm.promote",
        actor=by,
        project=project,
        target=f"prm {prm.name}"[:120],
        before=before and before.name,
        note=note,
    )
    return made


@transaction.atomic
def roll_back_promotion(project: Project, *, by: User, undoes: int | None = None) -> Promotion:
    """Make the selector from before the newest promotion the selector again.

    `undoes`: the promotion that the person saw as the newest; None: whichever is. Raises NothingToRollBack, and
    PromotionChanged if another one is the newest: of two people rolling back at once, the second would undo the first.
    """
    project = _locked(project)
    now = queries.training.selector_of(project)
    if now is None or (now.scorer is None and now.before is None):
        raise NothingToRollBack
    if undoes is not None and now.pk != undoes:
        who, name = now.by.shown_name, now.scorer.name if now.scorer else "no PRM"
        said = f"{who} has changed the selector to {name} in the meantime. Nothing was rolled back. Look at it first."
        raise PromotionChanged(said, promotion=now.pk)
    made = Promotion.objects.create(project=project, scorer=now.before, before=now.scorer, by=by, note="Rolled back.")
    name = now.before.name if now.before else "none"
    before = now.scorer.name if now.scorer else None
    audit_log.record("prm.roll_back", actor=by, project=project, target=f"prm {name}"[:120], before=before)
    return made


def _locked(project: Project) -> Project:
    """Return the project, with its promotions locked until the transaction ends. Raises ProjectArchived."""
    found = Project.objects.select_for_update(no_key=True).get(pk=project.pk)
    if found.status == Project.Status.ARCHIVED:
        raise ProjectArchived
    return found
