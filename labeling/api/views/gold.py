"""Gold and the labelers who get it. Admins make it and decide; researchers can read."""

from typing import Any

from drf_spectacular.utils import extend_schema
from rest_framework.decorators import api_view
from rest_framework.request import Request
from rest_framework.response import Response

from labeling import queries
from labeling.actions import gold, gold_screening, labeler_quality
from labeling.api.answers import With, answer
from labeling.api.pages import PAGE_PARAMETERS, page_of, paged
from labeling.api.requests import read_body, signed_in
from labeling.api.serializers.gold import (
    ChangeGoldIn,
    GoldCounts,
    GoldFilter,
    GoldOut,
    MakeGoldIn,
    RetireGoldIn,
)
from labeling.api.serializers.labeler_quality import (
    LabelerQualitiesOut,
    LabelerQualityOut,
    PauseIn,
    member_row,
)
from labeling.queries.labeler_quality import RULES
from labeling.queries.projects import ADMIN, RESEARCHER, get_project_as


@extend_schema(parameters=[GoldFilter, *PAGE_PARAMETERS], responses=paged(GoldOut))
@api_view(["GET"])
def list_gold(request: Request, slug: str) -> Response:
    """A project's gold, newest first, with how labelers did on it."""
    project = get_project_as(signed_in(request), slug, RESEARCHER)
    asked = GoldFilter(data=request.query_params)
    asked.is_valid(raise_exception=True)
    found = queries.gold.browse_gold(project, signed_in(request), asked.validated_data)
    return page_of(request, found, GoldOut, prepared=queries.gold.with_answers)


@extend_schema(responses=GoldCounts)
@api_view(["GET"])
def count_gold(request: Request, slug: str) -> Response:
    """How much gold there is, and how much of it rounds and screening use."""
    project = get_project_as(signed_in(request), slug, RESEARCHER)
    wanted = {"a_round": project.gold_per_round, "a_screening": project.screening_tasks if project.screening else 0}
    return answer(GoldCounts, {**queries.gold.gold_counts(project), **wanted})


@extend_schema(request=MakeGoldIn, responses={201: GoldOut})
@api_view(["POST"])
def make_gold(request: Request, trace_id: int) -> Response:
    """Make a trace gold."""
    trace = queries.traces.get_visible_trace(signed_in(request), trace_id, ADMIN)
    made = gold.make_gold(trace, by=signed_in(request), **read_body(request, MakeGoldIn))
    return _item(made, 201)


@extend_schema(responses=GoldOut)
@api_view(["GET"])
def get_gold(request: Request, gold_id: int) -> Response:
    """One gold item."""
    return _item(queries.gold.get_visible_gold(signed_in(request), gold_id))


@extend_schema(request=ChangeGoldIn, responses=GoldOut)
@api_view(["PATCH"])
def change_gold(request: Request, gold_id: int) -> Response:
    """Change the accepted answers or the notes of a gold item. Earlier answers are judged again."""
    found = queries.gold.get_visible_gold(signed_in(request), gold_id, ADMIN)
    body = read_body(request, ChangeGoldIn)
    return _item(gold.change_gold(found, by=signed_in(request), **body))


@extend_schema(request=RetireGoldIn, responses=GoldOut)
@api_view(["POST"])
def retire_gold(request: Request, gold_id: int) -> Response:
    """Retire a gold item: new rounds do not serve it, and answers to it no longer count."""
    found = queries.gold.get_visible_gold(signed_in(request), gold_id, ADMIN)
    return _item(gold.retire_gold(found, by=signed_in(request), **read_body(request, RetireGoldIn)))


@extend_schema(request=None, responses=GoldOut)
@api_view(["POST"])
def restore_gold(request: Request, gold_id: int) -> Response:
    """Undo the retirement of a gold item."""
    found = queries.gold.get_visible_gold(signed_in(request), gold_id, ADMIN)
    return _item(gold.restore_gold(found, by=signed_in(request)))


@extend_schema(responses=LabelerQualitiesOut)
@api_view(["GET"])
def list_labeler_quality(request: Request, slug: str) -> Response:
    """Each labeler's agreement with gold, and what the rule says about them."""
    project = get_project_as(signed_in(request), slug, RESEARCHER)
    attempts = queries.screening.attempts_by_labeler(project)
    rows = [
        With(found, attempts=attempts.get(found.member.user_id, []))
        for found in queries.labeler_quality.members_with_quality(project)
    ]
    return answer(LabelerQualitiesOut, {"bar": RULES.bar, "good": RULES.good, "labelers": rows})


@extend_schema(request=PauseIn, responses=LabelerQualityOut)
@api_view(["POST"])
def pause_member(request: Request, slug: str, member_id: int) -> Response:
    """Pause a member: they get no new tasks."""
    project = get_project_as(signed_in(request), slug, ADMIN)
    body = read_body(request, PauseIn)
    return answer(
        LabelerQualityOut,
        member_row(project, labeler_quality.pause_member(signed_in(request), project, member_id, **body)),
    )


@extend_schema(request=None, responses=LabelerQualityOut)
@api_view(["POST"])
def unpause_member(request: Request, slug: str, member_id: int) -> Response:
    """Unpause a member: they get tasks again."""
    project = get_project_as(signed_in(request), slug, ADMIN)
    return answer(
        LabelerQualityOut, member_row(project, labeler_quality.unpause_member(signed_in(request), project, member_id))
    )


@extend_schema(request=None, responses=LabelerQualityOut)
@api_view(["POST"])
def admit_member(request: Request, slug: str, member_id: int) -> Response:
    """Admit a member to work without screening, or without more of it."""
    project = get_project_as(signed_in(request), slug, ADMIN)
    return answer(
        LabelerQualityOut, member_row(project, gold_screening.admit_member(signed_in(request), project, member_id))
    )


@extend_schema(request=None, responses=LabelerQualityOut)
@api_view(["POST"])
def allow_attempt(request: Request, slug: str, member_id: int) -> Response:
    """Allow a member one more attempt at the screening."""
    project = get_project_as(signed_in(request), slug, ADMIN)
    return answer(
        LabelerQualityOut, member_row(project, gold_screening.allow_attempt(signed_in(request), project, member_id))
    )


def _item(found: Any, status: int = 200) -> Response:
    return answer(GoldOut, queries.gold.with_answers([found])[0], status)
