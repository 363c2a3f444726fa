"""Cached answers about large projects, which take long to compute. Each says as of when it is.

A small project is counted each time. For a large one (`queries.large_projects`), an answer older than FRESH is still
given while a worker computes a new one; an answer older than OLDEST is not given any more. Every action in the project
except labeling is in its audit log, and makes all cached answers out of date. Exceptions are actions that change no
figure (a download, a token).
"""

import hashlib
import json
from collections.abc import Callable
from datetime import datetime
from typing import Any, NamedTuple

from django.core.cache import caches
from django.utils import timezone
from rest_framework.response import Response
from rest_framework.serializers import Serializer

from annotation_app.postgres.replica import read_may_lag
from labeling import queries
from labeling.actions.jobs import send_task
from labeling.api.answers import rendered
from labeling.api.serializers.agreement import AgreementOut
from labeling.api.serializers.evaluations import RecordedSourcesOut
from labeling.api.serializers.failures import FailuresOut
from labeling.api.serializers.home import BadgesOut, ForecastOut, HomeOut
from labeling.api.serializers.label_list import LabelFacetsOut, facets_out
from labeling.api.serializers.labeler_figures import HastyLabelsOut, LabelersOut
from labeling.api.serializers.overview import OverviewOut
from labeling.api.serializers.retention import ProjectRowsOut
from labeling.api.serializers.round_reports import (
    ComparedRoundsOut,
    RoundFiguresOut,
    RoundReportNowOut,
    RoundReportsOut,
)
from labeling.api.serializers.rounds import with_counts
from labeling.api.serializers.time_spent import TimeReportOut
from labeling.api.serializers.traces import RoundPreview, TraceFacetsOut, with_usage
from labeling.configs import PlainConfig
from labeling.models import Project, Round, StepScorer, User

Json = dict[str, Any]
RENEW = "worker.renew_answer"
FRESH = 30.0  # seconds
OLDEST = 3_600.0
RENEWAL = 60  # seconds during which nobody else is asked to compute it again
VERSION = 14  # version of what is cached: raise it when a shape changes


class Kept(NamedTuple):
    """An answer, and when it was made."""

    at: datetime
    body: Json


def overview(project: Project) -> Json:
    found = queries.overview.project_overview(project)
    return {**found, "rounds": with_counts(found["rounds"])}


def home(project: Project) -> Json:
    return {"quality": queries.home.quality_of(project), "learning": queries.training.learning_of(project)}


def badges(project: Project, *, reader: int) -> Json:
    return {"waits": queries.home.what_waits(project, User.objects.get(pk=reader))}


def time_spent(project: Project) -> Json:
    found = queries.time_spent
    return {"time": found.time_report(project), "sessions": found.session_report(project)}


def hasty_labels(project: Project) -> Json:
    floor = queries.haste.project_floor_ms(project)
    return {"floor_ms": floor, "rounds": queries.haste.hasty_by_round(project, floor)}


def recorded_sources(project: Project) -> Json:
    return {"recorded": queries.evaluations.recorded_sources(project)}


def project_rows(project: Project) -> Json:
    return {"rows": queries.retention.count_rows(project)}


def round_report(project: Project, *, round: int) -> Json:
    found = _round(project, round)
    frozen = {"as_of": found.closed_at} if found.report else {}
    return {**queries.round_report.report_of(found), **frozen}


def round_figures(project: Project, *, round: int) -> Json:
    return queries.round_figures.told_of(_round(project, round))


def round_reports(project: Project) -> Json:
    found = queries.round_report.reported_rounds(project)
    return {"results": [{"round": round_, "report": report} for round_, report in found]}


def compared_rounds(project: Project, *, one: int, other: int) -> Json:
    return queries.round_figures.compared(project, one, other)


def round_preview(project: Project, *, config: Json) -> Json:
    found = queries.rounds.preview(project, PlainConfig.from_json(config))
    return {**found, "sample": with_usage(found["sample"])}


def label_facets(project: Project, *, reader: int, asked: Json) -> Json:
    listed = queries.label_list.LabelList(project, User.objects.get(pk=reader))
    return facets_out(queries.label_facets.facets_of(listed, asked))


def trace_facets(project: Project, *, asked: Json, hidden: list[int]) -> Json:
    return queries.trace_list.trace_facets(project, asked, hidden)


def labelers(project: Project, **asked: Any) -> Json:
    return queries.labeler_figures.labeler_figures(project, **asked)


def agreement(project: Project, *, asked: Json) -> Json:
    return {**queries.agreement.project_agreement(project, **asked), **queries.agreement.choices(project)}


def failures(project: Project, *, scorer: int | None) -> Json:
    return queries.failures.failures_of(project, StepScorer.objects.get(pk=scorer) if scorer else None)


# The cached answers by name: shape and function. Arguments other than the project are JSON, so that workers can
# compute.
ANSWERS: dict[str, tuple[type[Serializer], Callable[..., Json]]] = {
    "overview": (OverviewOut, overview),
    "home": (HomeOut, home),
    "badges": (BadgesOut, badges),
    "forecast": (ForecastOut, queries.forecasts.forecast),
    "time_spent": (TimeReportOut, time_spent),
    "hasty_labels": (HastyLabelsOut, hasty_labels),
    "recorded_sources": (RecordedSourcesOut, recorded_sources),
    "project_rows": (ProjectRowsOut, project_rows),
    "round_report": (RoundReportNowOut, round_report),
    "round_figures": (RoundFiguresOut, round_figures),
    "round_reports": (RoundReportsOut, round_reports),
    "compared_rounds": (ComparedRoundsOut, compared_rounds),
    "round_preview": (RoundPreview, round_preview),
    "label_facets": (LabelFacetsOut, label_facets),
    "trace_facets": (TraceFacetsOut, trace_facets),
    "labelers": (LabelersOut, labelers),
    "agreement": (AgreementOut, agreement),
    "failures": (FailuresOut, failures),
}


# What readers may see of these depends on what they hold at this moment, so no replica may answer.
BY_HOLDS = {"label_facets"}


def kept_answer(
    project: Project, name: str, *, for_reader: Callable[[Json], object] = lambda body: None, **about: Any
) -> Response:
    """The answer with this name, current or cached: `as_of` in its body says when it was made. A cached one takes one
    query. The cache is shared by all readers, so `for_reader` removes what this reader may not see.
    Raises whatever computing the answer raises.
    """
    body = kept_body(project, name, about)
    for_reader(body)
    return Response(body)


def kept_body(project: Project, name: str, about: Json) -> Json:
    """Like kept_answer, for use as a part of another answer."""
    state = queries.large_projects.state_of(project)
    if not state.large:
        return _made(project, name, about, state.newest_event).body
    key = _key(project, name, about, state.newest_event)
    found: Kept | None = caches["default"].get(key)
    age = (timezone.now() - found.at).total_seconds() if found else OLDEST
    if found is None or age >= OLDEST:
        return _keep(key, _made(project, name, about, state.newest_event)).body
    counts: Any = caches["default"]
    if age >= FRESH and counts.count(f"{key}:renewal", 1, RENEWAL) == 1:
        send_task(RENEW, project.pk, name, about, queue="cpu", expires=RENEWAL)
    return found.body


def renew_answer(project_id: int, name: str, about: Json) -> None:
    """Compute the answer again for the next reader."""
    project = Project.objects.get(pk=project_id)
    newest = queries.large_projects.state_of(project).newest_event
    _keep(_key(project, name, about, newest), _made(project, name, about, newest))


def _made(project: Project, name: str, about: Json, newest_event: int | None) -> Kept:
    """Compute it on the replica if that has the project's latest action, because the cached answer will claim to
    include it.
    """
    shape, work = ANSWERS[name]
    now = timezone.now()

    def read() -> Json:
        return dict(rendered(shape, {"as_of": now, **work(project, **about)}))

    def knows() -> bool:
        return queries.large_projects.state_of(project).newest_event == newest_event

    return Kept(now, read() if name in BY_HOLDS else read_may_lag(read, knows=knows))


def _keep(key: str, made: Kept) -> Kept:
    caches["default"].set(key, made, OLDEST)
    return made


def _key(project: Project, name: str, about: Json, newest_event: int | None) -> str:
    said = json.dumps([VERSION, newest_event, about], sort_keys=True, default=str)
    return f"answer:{project.pk}:{name}:{hashlib.sha256(said.encode()).hexdigest()}"


def _round(project: Project, round_id: int) -> Round:
    return Round.objects.select_related("project", "scorer").get(pk=round_id, project=project)
