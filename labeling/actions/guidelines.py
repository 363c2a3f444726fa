"""Guidelines: a version is published and never edited. Labels record the version they were made under."""

from django.db import transaction

from labeling.actions import audit_log
from labeling.errors import GuidelineChanged
from labeling.models import Guideline, Project, User
from labeling.queries.projects import newest_guideline, require_rows


@transaction.atomic
def publish_guideline(actor: User, project: Project, body: str, *, after: int | None = None) -> Guideline:
    """Publish the next version of the project's guidelines. The project's row lock numbers versions without gaps.

    `after`: the newest version that the author knew (0: there was none), or None for any. Raises ProjectTakenOut, and
    GuidelineChanged if somebody has published another one since.
    """
    Project.objects.select_for_update(no_key=True).get(pk=project.pk)
    require_rows(project)
    newest = newest_guideline(project)
    known = newest.version if newest else 0
    if after is not None and newest and known != after:
        who = newest.created_by.shown_name if newest.created_by else "Somebody"
        said = f"{who} has published version {known} in the meantime. Read it first: your version will replace it."
        raise GuidelineChanged(said, version=known)
    version = known + 1
    guideline = Guideline.objects.create(project=project, version=version, body=body, created_by=actor)
    audit_log.record("guideline.publish", actor=actor, project=project, target=f"guideline {version}")
    return guideline
