"""A project's PRMs: list them, connect one, try one on a trace."""

from django.conf import settings
from drf_spectacular.utils import extend_schema
from rest_framework.decorators import api_view, throttle_classes
from rest_framework.request import Request
from rest_framework.response import Response

from labeling import queries
from labeling.actions import prm_connections, step_scorers
from labeling.api.answers import With, answer
from labeling.api.requests import read_body, signed_in
from labeling.api.serializers.prm_connections import ConnectPrmIn, PrmConnectionsOut, PrmTrialOut, TryPrmIn
from labeling.api.serializers.round_stages import PrmOut, PrmsOut
from labeling.api.throttles import StartThrottle
from labeling.configs import FAMILIES
from labeling.queries.projects import ADMIN, RESEARCHER, get_project_as


@extend_schema(responses=PrmsOut)
@api_view(["GET"])
def list_prms(request: Request, slug: str) -> Response:
    """What a round of this project can choose by: its PRMs, and scores made elsewhere."""
    project = get_project_as(signed_in(request), slug, RESEARCHER)
    scored = queries.step_scorers.scored_counts(project)
    newest = queries.training.selector_of(project)
    selector = newest.scorer_id if newest else None
    found = queries.step_scorers.scorers_of(project)
    not_beaten = queries.evaluations.baseline_not_beaten(project)
    rows = [
        With(
            prm,
            scored=scored.get(prm.pk, 0),
            selector=selector,
            baseline_not_beaten=not_beaten.get(prm.pk, []),
        )
        for prm in found
    ]
    return answer(PrmsOut, {"results": rows})


@extend_schema(request=ConnectPrmIn, responses={201: PrmOut})
@api_view(["POST"])
@throttle_classes([StartThrottle])
def connect_prm(request: Request, slug: str) -> Response:
    """Connect a PRM to this project or to all. No round can use it until a worker has checked it."""
    body = read_body(request, ConnectPrmIn)
    project = get_project_as(signed_in(request), slug, ADMIN)
    prm = prm_connections.connect_prm(project, by=signed_in(request), **body)
    return answer(PrmOut, With(prm, scored=0, selector=None, baseline_not_beaten=[]), 201)


@extend_schema(responses=PrmConnectionsOut)
@api_view(["GET"])
def get_prm_connections(request: Request, slug: str) -> Response:
    """Where a PRM can be connected from: folders that workers can read, and servers listed by the operator."""
    get_project_as(signed_in(request), slug, ADMIN)
    servers = [{"name": name, "family": one.family, "models": one.models} for name, one in settings.PRM_SERVERS.items()]
    found = {
        "workers": queries.workers.processes_serving("gpu"),
        "families": list(FAMILIES.values()),
        "folders": queries.workers.models_found(),
        "servers": servers,
    }
    return answer(PrmConnectionsOut, found)


@extend_schema(request=None, responses=PrmOut)
@api_view(["POST"])
@throttle_classes([StartThrottle])
def recheck_prm(request: Request, slug: str, prm_id: int) -> Response:
    """Have a worker check a PRM again that could not be used."""
    project = get_project_as(signed_in(request), slug, ADMIN)
    prm = queries.step_scorers.get_prm_to_change(signed_in(request), project, prm_id)
    prm = step_scorers.recheck_prm(prm, by=signed_in(request))
    return answer(PrmOut, With(prm, scored=0, selector=None, baseline_not_beaten=[]))


@extend_schema(request=None, responses=PrmOut)
@api_view(["POST"])
def retire_prm(request: Request, slug: str, prm_id: int) -> Response:
    """Retire a PRM, so that it is no longer offered. Its scores and rounds are kept."""
    project = get_project_as(signed_in(request), slug, ADMIN)
    prm = queries.step_scorers.get_prm_to_change(signed_in(request), project, prm_id)
    step_scorers.retire_prm(prm, by=signed_in(request))
    prm.refresh_from_db()
    return answer(PrmOut, With(prm, scored=0, selector=None, baseline_not_beaten=[]))


@extend_schema(request=TryPrmIn, responses={201: PrmTrialOut})
@api_view(["POST"])
@throttle_classes([StartThrottle])
def try_prm(request: Request, slug: str, prm_id: int) -> Response:
    """Have a PRM score one trace. The trace is not stored anywhere else."""
    body = read_body(request, TryPrmIn)
    project = get_project_as(signed_in(request), slug, RESEARCHER)
    prm = queries.step_scorers.get_listed_prm(project, prm_id)
    trial = prm_connections.try_prm(project, prm, by=signed_in(request), **body)
    return answer(PrmTrialOut, trial, 201)


@extend_schema(responses=PrmTrialOut)
@api_view(["GET"])
def get_prm_trial(request: Request, trial_id: int) -> Response:
    """The PRM's result, once a worker has run it."""
    return answer(PrmTrialOut, queries.step_scorers.get_visible_trial(signed_in(request), trial_id))
