"""Projects: creating them and changing their settings."""

from dataclasses import replace
from decimal import Decimal
from typing import Any

from django.db import IntegrityError, transaction
from django.db.models import Exists, OuterRef
from django.utils import timezone

from labeling.actions import audit_log
from labeling.actions.guidelines import publish_guideline
from labeling.actions.label_consensus import require_overlap
from labeling.configs import AfterErrorConfig
from labeling.errors import InvalidFields, NotFound, PermissionDenied, ProjectTakenOut
from labeling.models import Label, Membership, Project, Task, User
from labeling.queries.candidates import require_generator
from labeling.queries.projects import ADMIN, get_project_as, newest_guideline

# The settings that a project created like another takes over. A test lists those that are each project's own.
TAKEN_OVER = (
    *("default_overlap", "default_overlap_most", "default_overlap_needed", "lease_minutes", "revise_window_hours"),
    *("reference_solution", "answer_kind", "answer_tolerance", "reveal_scores", "session_traces", "rated_unit"),
    *("hourly_rate", "currency", "stalled_hours", "gold_per_round", "after_error", "trains_at_close"),
    *("screening", "screening_tasks", "screening_share", "screening_retries", "screening_feedback"),
)
NEW = {"trains_at_close": True}  # older projects were never asked


def create_project(actor: User, *, slug: str, name: str, description: str = "", like: str = "") -> Project:
    """Create a project with `actor` as its first admin.

    `like`: the slug of a project they are an admin of. The new one starts with its settings and newest guidelines, but
    none of its data, people, webhooks or tokens. Raises PermissionDenied, InvalidFields (slug, like).
    """
    if not actor.is_superuser:
        raise PermissionDenied("Only the site's administrators can create projects. Ask one of them.")
    model = _model(actor, like) if like else None
    settings = NEW if model is None else {setting: getattr(model, setting) for setting in TAKEN_OVER}
    try:
        with transaction.atomic():
            project = Project.objects.create(slug=slug, name=name, description=description, **settings)
            Membership.objects.create(project=project, user=actor, role=ADMIN)
            of_model = {} if model is None else {"like": model.slug}
            audit_log.record("project.create", actor=actor, project=project, target=f"project {slug}", **of_model)
            guideline = newest_guideline(model) if model else None
            if guideline:
                publish_guideline(actor, project, guideline.body)
    except IntegrityError as taken:
        raise InvalidFields(fields={"slug": ["Another project has this address. Choose another."]}) from taken
    return project


def _model(actor: User, slug: str) -> Project:
    try:
        return get_project_as(actor, slug, ADMIN)
    except NotFound as unknown:
        raise InvalidFields(fields={"like": ["You are not an admin of a project with this address."]}) from unknown


@transaction.atomic
def change_project(actor: User, project: Project, changes: dict[str, Any]) -> Project:
    """Set these settings. The audit log keeps the old values. Returns the project as it is now.

    Raises InvalidFields (currency, overlap, generator, model), ProjectTakenOut.
    """
    locked = Project.objects.select_for_update(no_key=True).get(pk=project.pk)
    if "after_error" in changes:
        changes = {**changes, "after_error": _after_error(locked, changes["after_error"])}
    changed = {name: value for name, value in changes.items() if getattr(locked, name) != value}
    if not changed:
        return locked
    if locked.taken_out and changed.get("status") == Project.Status.ACTIVE:
        raise ProjectTakenOut
    before = {name: getattr(locked, name) for name in changed}
    for name, value in changed.items():
        setattr(locked, name, value)
    if locked.hourly_rate is not None and not locked.currency:
        raise InvalidFields(fields={"currency": ["Give the currency of the hourly rate, for example EUR."]})
    if any(name.startswith("default_overlap") for name in changed):
        require_overlap(locked.default_overlap_asked, prefix="default_")
    locked.save(update_fields=list(changed))
    if changed.get("screening"):
        _admit_who_worked(locked)
    audit_log.record(
        "project.change",
        actor=actor,
        project=locked,
        target=f"project {locked.slug}",
        before=_plain(before),
        after=_plain(changed),
    )
    return locked


def _after_error(project: Project, asked: dict[str, Any]) -> dict[str, Any]:
    """Return what a row stores. Labels name kinds by list and version, so a changed own list gets the next version."""
    before = project.after_error_config
    if asked["explaining"]:
        require_generator(asked["explaining"]["generator"], asked["explaining"]["model"])
    config = AfterErrorConfig.from_json({**asked, "own_version": before.own_version})
    if config.own_kinds != before.own_kinds:
        config = replace(config, own_version=before.own_version + 1)
    return config.as_json()


def _plain(settings: dict[str, Any]) -> dict[str, Any]:
    """Return JSON values; amounts of money are written as text."""
    return {name: str(value) if isinstance(value, Decimal) else value for name, value in settings.items()}


def _admit_who_worked(project: Project) -> None:
    """Admit everyone who labeled here before the screening was switched on: it is for new people."""
    worked = Label.objects.filter(
        project=project, labeler=OuterRef("user"), task__kind=Task.Kind.WORK, submitted_at__isnull=False
    )
    members = Membership.objects.filter(Exists(worked), project=project, admitted_at=None)
    members.update(admitted_at=timezone.now())
