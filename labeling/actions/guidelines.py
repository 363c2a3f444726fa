"""Guidelines: a version is published and never edited; labels carry the version they were made under."""

from django.db import transaction

from labeling.actions import audit_log
from labeling.models import Guideline, Project, User
from labeling.queries.projects import newest_guideline, require_rows


@transaction.atomic
def publish_guideline(actor: User, project: Project, body: str) -> Guideline:
    """The next version of the project's guidelines. The project's row lock numbers them without gaps.

    Raises ProjectTakenOut.
    """
    Project.objects.select_for_update(no_key=True).get(pk=project.pk)
    require_rows(project)
    newest = newest_guideline(project)
    version = newest.version + 1 if newest else 1
    guideline = Guideline.objects.create(project=project, version=version, body=body, created_by=actor)
    audit_log.record("guideline.publish", actor=actor, project=project, target=f"guideline {version}")
    return guideline
