"""What a project's Home shows first: what waits for a person, and how good the labels are."""

from collections.abc import Mapping
from dataclasses import asdict
from typing import Any

import numpy as np
from django.db import connection
from django.utils import timezone

from labeling.models import LabelAudit, LabelAuditItem, Membership, Project, Round, TrainingRun, User
from labeling.quality.scorecard import RULES, word_for
from labeling.queries.agreement import same_first_error
from labeling.queries.haste import hasty_by_round, hasty_lately, project_floor_ms
from labeling.queries.label_audits import waiting_items
from labeling.queries.labeler_figures import GOLD_TO_TRUST
from labeling.queries.notices import watched_rounds
from labeling.queries.reviews import waiting_counts
from labeling.queries.sql_slots import fill
from labeling.queries.training import selector_of
from labeling.statistics.intervals import Estimate, share, share_of_clusters

Json = dict[str, Any]
# One row per item: right answers, answers.
GOLD = f"""
    SELECT count(*) FILTER (WHERE result.passed), count(*) {fill(GOLD_TO_TRUST, joined="")}
    GROUP BY item.id ORDER BY item.id
"""
# Labels drawn at random in finished audits: those confirmed, those reviewed; one row per problem.
AUDITED = """
    SELECT count(*) FILTER (WHERE item.finish_reason <> 'bad_problem' AND item.verdict IS NOT DISTINCT FROM
        label.verdict), count(*)
    FROM labeling_labelaudititem AS item JOIN labeling_labelaudit AS over ON over.id = item.label_audit_id
    JOIN labeling_label AS label ON label.id = item.label_id JOIN labeling_task AS task ON task.id = label.task_id
    JOIN labeling_trace AS trace ON trace.id = task.trace_id
    WHERE over.project_id = %(project)s AND over.status = 'finished' AND item.arm = 'control'
        AND item.reviewed_at IS NOT NULL GROUP BY trace.problem_id ORDER BY trace.problem_id
"""


def quality_of(project: Project) -> list[Json]:
    """Return the shares of gold answered as expected, of pairs that agree, of hasty labels, and of labels confirmed by
    a blind second reading, each with its rule and the resulting word. Five queries.
    """
    rounds = hasty_by_round(project, project_floor_ms(project))
    shares = {
        "gold": share_by(GOLD, project=project.pk),
        "agreement": same_first_error(project, here=True),
        "hasty": share(sum(one.hasty for one in rounds), sum(one.judged for one in rounds)),
        "audit": share_by(AUDITED, project=project.pk),
    }
    return ruled(shares)


def ruled(shares: Mapping[str, Estimate]) -> list[Json]:
    """Return figures of the scorecard, each with its rule and the resulting word."""
    return [
        {"name": name, "share": asdict(one), "word": word_for(one, rule), "limit": rule.limit, "most": rule.most}
        for name, one in shares.items()
        for rule in [RULES[name]]
    ]


def what_waits(project: Project, reader: User) -> list[Json]:
    """Return what needs a decision, most harmful if left waiting first: kind, count, and whom or what it is about."""
    return [
        *_rounds(project, Round.Status.FAILED, "failed_round"),
        *_hasty(project),
        *_paused(project),
        *_reviews(project),
        *_rounds(project, Round.Status.READY, "ready_round"),
        *_labeled(project),
        *_audits(project, reader),
        *_trained(project),
    ]


def share_by(statement: str, **about: Any) -> Estimate:
    """Return a share. Each row of the statement is a cluster: what counts for the share, and all of it."""
    with connection.cursor() as cursor:
        cursor.execute(statement, about)
        parts = np.array(cursor.fetchall(), dtype=np.float64).reshape(-1, 2)
    return share_of_clusters(parts[:, 0], parts[:, 1], n=int(parts[:, 1].sum()))


def _rounds(project: Project, status: str, kind: str) -> list[Json]:
    return [_round(one, kind) for one in Round.objects.filter(project=project, status=status).order_by("number")]


def _labeled(project: Project) -> list[Json]:
    """Return open rounds that want no more labels and in which nobody is labeling."""
    return [_round(one.round, "labeled_round") for one in watched_rounds(project) if not (one.wanting or one.held)]


def _round(one: Round, kind: str) -> Json:
    return {"kind": kind, "count": one.task_count, "number": one.number, "name": one.name, "id": one.pk}


def _hasty(project: Project) -> list[Json]:
    _, found = hasty_lately(project, timezone.now())
    return [
        {
            "kind": "hasty_labeler",
            "count": one.hasty,
            "of": one.labels,
            "number": one.round.number,
            "name": one.labeler.shown_name,
            "id": one.labeler.pk,
        }
        for one in found
    ]


def _paused(project: Project) -> list[Json]:
    members = Membership.objects.filter(project=project, is_active=True, paused_at__isnull=False)
    return [
        {"kind": "paused_labeler", "count": 1, "name": member.user.shown_name, "id": member.user_id}
        for member in members.select_related("user").order_by("paused_at")
    ]


def _reviews(project: Project) -> list[Json]:
    count = waiting_counts(project)["tasks"]
    return [{"kind": "reviews", "count": count}] if count else []


def _audits(project: Project, reader: User) -> list[Json]:
    audits = LabelAudit.objects.filter(project=project, status=LabelAudit.Status.OPEN).order_by("pk")
    found = []
    for one in audits:
        waiting = waiting_items(one, reader).count()
        left = LabelAuditItem.objects.filter(label_audit=one, reviewed_at=None).exists()
        if waiting:
            found.append({"kind": "label_audit", "count": waiting, "id": one.pk})
        elif not left:
            found.append({"kind": "audit_to_finish", "count": 1, "id": one.pk})
    return found


def _trained(project: Project) -> list[Json]:
    """Return the newest PRM trained here, if nothing has been promoted since."""
    run = TrainingRun.objects.filter(project=project, prm__isnull=False).select_related("prm").order_by("-pk").first()
    selector = selector_of(project)
    if run is None or run.prm is None or (selector is not None and selector.at >= run.created_at):
        return []
    return [{"kind": "trained_prm", "count": 1, "name": run.prm.name, "id": run.pk}]
