"""Reads about labelers' quality: whether they get work, how they agree with gold, and what they are told about it."""

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

from django.db.models import F, Q, QuerySet

from labeling.models import GoldResult, Membership, Project, Task, User
from labeling.quality.sequential_test import QualityRules, evaluate_labeler, rolling_agreement
from labeling.queries.gold import COUNTED, results_of
from labeling.queries.prepared_sql import execute_prepared, one_line
from labeling.statistics.intervals import Estimate, share

RULES = QualityRules()
WINDOW = 40  # gold tasks shown as the recent agreement
# A member who gets no work: paused, or an annotator who still has to be screened.
BARRED = """
    SELECT FROM labeling_membership member JOIN labeling_project its_project ON its_project.id = member.project_id
    WHERE member.user_id = %(labeler)s AND member.project_id = %(project)s AND (member.paused_at IS NOT NULL
        OR (its_project.screening AND member.role = 'annotator' AND member.admitted_at IS NULL))
"""
IS_BARRED = one_line(f"SELECT EXISTS ({BARRED})")


@dataclass(frozen=True)
class PersonQuality:
    """How far one labeler agrees with gold. `run` counts since they began, were cleared or came back; `recent` the last
    40; `decisive` the decisive errors they named on gold that accepts some.
    """

    member: Membership
    run: Estimate
    recent: Estimate
    decisive: Estimate
    action: str


def is_barred(labeler: User, project: Project) -> bool:
    """Return whether this labeler gets no work now. One query."""
    [(barred,)] = execute_prepared(IS_BARRED, {"labeler": labeler.pk, "project": project.pk})
    return bool(barred)


def membership_of(labeler: User, project: Project) -> Membership | None:
    """Return the labeler's active membership, with its project."""
    found = Membership.objects.select_related("project", "user").filter(project=project, user=labeler, is_active=True)
    return found.first()


def results_in_run(member: Membership) -> list[bool]:
    """Return the gold results by which the member is judged now, oldest first."""
    results = results_of(member.user, member.project)
    if member.run_since is not None:
        results = results.filter(at__gt=member.run_since)
    return list(results.values_list("passed", flat=True))


def results_to_weigh(labeler: User, project: Project) -> QuerySet[GoldResult]:
    """Return the labeler's results on hidden gold that no evaluation of their quality has used yet."""
    return GoldResult.objects.filter(project=project, labeler=labeler, kind=Task.Kind.GOLD, weighed_at=None)


def labelers_to_evaluate() -> list[tuple[User, Project]]:
    """Return every labeler with such a result, in each project. One query."""
    waiting = GoldResult.objects.filter(kind=Task.Kind.GOLD, weighed_at=None).order_by("project", "labeler")
    each = waiting.distinct("project", "labeler").select_related("project", "labeler")
    return [(result.labeler, result.project) for result in each]


def qualities(members: Iterable[Membership]) -> list[PersonQuality]:
    """Return the quality of these members of one project. One query."""
    found = list(members)
    if not found:
        return []
    results: dict[int, list[tuple[bool, Any]]] = {member.user_id: [] for member in found}
    rows = GoldResult.objects.filter(COUNTED, project=found[0].project_id, kind=Task.Kind.GOLD)
    rows = rows.filter(labeler__in=results).order_by("at", "pk")
    lost: dict[int, list[bool]] = {labeler: [] for labeler in results}
    columns = ("labeler", "passed", "at", "decisive", "gold__acceptable_decisive")
    for labeler, passed, at, decisive, accepted in rows.values_list(*columns):
        results[labeler].append((passed, at))
        if decisive is not None and accepted:
            lost[labeler].append(decisive in accepted)
    return [_quality_of(member, results[member.user_id], lost[member.user_id]) for member in found]


def _quality_of(member: Membership, results: list[tuple[bool, Any]], lost: list[bool]) -> PersonQuality:
    since = member.run_since
    run = evaluate_labeler([passed for passed, at in results if since is None or at > since], RULES)
    recent = rolling_agreement([passed for passed, _ in results], WINDOW)
    return PersonQuality(member, run.agreement, recent, share(sum(lost), len(lost)), run.action)


def members_with_quality(project: Project) -> list[PersonQuality]:
    """Return the people who may label, did gold or are paused here: active before deactivated ones, paused before
    others, then by name. Two queries.
    """
    members = Membership.objects.filter(project=project).filter(
        Q(role=Membership.Role.ANNOTATOR)
        | Q(user__in=GoldResult.objects.filter(project=project).values("labeler"))
        | Q(paused_at__isnull=False)
    )
    people = members.filter(user__kind=User.Kind.PERSON).select_related("user", "project")
    return qualities(people.order_by("-is_active", F("paused_at").asc(nulls_last=True), "user__username"))
