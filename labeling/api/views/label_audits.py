"""Label audits: create one, review it blind, finish it, and read its report."""

from typing import Any

from django.http import HttpResponse
from drf_spectacular.types import OpenApiTypes
from drf_spectacular.utils import extend_schema
from rest_framework.decorators import api_view
from rest_framework.request import Request
from rest_framework.response import Response

from labeling import queries
from labeling.actions import label_audits as label_audits
from labeling.api.answers import answer
from labeling.api.pages import PAGE_PARAMETERS, page_of, paged
from labeling.api.requests import read_body, signed_in
from labeling.api.serializers.label_audits import (
    BlindItem,
    CreateLabelAuditIn,
    HoldNextIn,
    LabelAuditCounts,
    LabelAuditOut,
    LabelAuditQuestionIn,
    LabelAuditSummary,
    NextItemOut,
    next_item,
    with_progress,
    with_review,
)
from labeling.api.serializers.reviews import BlindReviewIn
from labeling.api.tables import CSV, csv_file
from labeling.queries.label_audits import get_reviewable_item, get_visible_label_audit
from labeling.queries.projects import RESEARCHER, get_project_as


@extend_schema(responses=paged(LabelAuditSummary), parameters=PAGE_PARAMETERS)
@api_view(["GET"])
def list_label_audits(request: Request, slug: str) -> Response:
    """A project's label audits, newest first."""
    reader = signed_in(request)
    project = get_project_as(reader, slug, RESEARCHER)
    found = queries.label_audits.label_audits_of(project)
    return page_of(request, found, LabelAuditSummary, prepared=lambda page: with_progress(page, reader))


@extend_schema(request=CreateLabelAuditIn, responses={201: LabelAuditOut})
@api_view(["POST"])
def create_label_audit(request: Request, slug: str) -> Response:
    """Choose labels that a PRM or source finds unlikely, and a random control, for blind review."""
    body = read_body(request, CreateLabelAuditIn)
    project = get_project_as(signed_in(request), slug, RESEARCHER)
    scorer = queries.step_scorers.require_auditor(project, body.pop("prm"))
    made = label_audits.create_label_audit(project, by=signed_in(request), scorer=scorer, **body)
    return _label_audit(made, request, 201)


@extend_schema(request=LabelAuditQuestionIn, responses=LabelAuditCounts)
@api_view(["POST"])
def preview_label_audit(request: Request, slug: str) -> Response:
    """The labels that an audit with this PRM or source could choose from, and why the others are left out."""
    body = read_body(request, LabelAuditQuestionIn)
    project = get_project_as(signed_in(request), slug, RESEARCHER)
    scorer = queries.step_scorers.require_auditor(project, body["prm"])
    label_audits.require_usable(scorer)
    counts = queries.label_audits.count_labels(project, scorer, body["round"])
    known = queries.label_audits.knows_learned(scorer)
    return answer(LabelAuditCounts, {**counts, "learned_known": known})


@extend_schema(responses=LabelAuditOut)
@api_view(["GET"])
def get_label_audit(request: Request, label_audit_id: int) -> Response:
    """One label audit. Its report is included once it is over."""
    label_audit = get_visible_label_audit(signed_in(request), label_audit_id)
    return _label_audit(label_audit, request)


@extend_schema(responses={(200, CSV): OpenApiTypes.BINARY})
@api_view(["GET"])
def download_label_audit(request: Request, label_audit_id: int) -> HttpResponse:
    """Every label of a label audit that is over, one per line."""
    reader = signed_in(request)
    label_audit = get_visible_label_audit(reader, label_audit_id)
    label_audits.require_over(label_audit)
    table = queries.label_audit_report.table(label_audit, reader)
    return csv_file(f"{label_audit.project.slug}-label_audit-{label_audit.pk}.csv", table)


@extend_schema(request=HoldNextIn, responses=NextItemOut)
@api_view(["POST"])
def hold_next_item(request: Request, label_audit_id: int) -> Response:
    """Hold the next trace to review for half an hour. Null if none is left for you."""
    body = read_body(request, HoldNextIn)
    reader = signed_in(request)
    label_audit = get_visible_label_audit(reader, label_audit_id)
    return answer(
        NextItemOut, next_item(label_audit, label_audits.hold_next_item(label_audit, by=reader, **body), reader)
    )


@extend_schema(responses=BlindItem)
@api_view(["GET"])
def get_label_audit_item(request: Request, item_id: int) -> Response:
    """A trace to review, with your earlier review of it."""
    reader = signed_in(request)
    return answer(BlindItem, with_review(get_reviewable_item(reader, item_id), reader))


@extend_schema(request=BlindReviewIn, responses=BlindItem)
@api_view(["POST"])
def review_item(request: Request, item_id: int) -> Response:
    """Save your review of a trace. You can change it until the label audit ends."""
    body = read_body(request, BlindReviewIn)
    reader = signed_in(request)
    return answer(
        BlindItem,
        with_review(label_audits.review_item(get_reviewable_item(reader, item_id), by=reader, **body), reader),
    )


@extend_schema(request=None, responses=LabelAuditOut)
@api_view(["POST"])
def finish_label_audit(request: Request, label_audit_id: int) -> Response:
    """Finish the label audit: corrections become rulings, and the report is shown."""
    label_audit = get_visible_label_audit(signed_in(request), label_audit_id)
    return _label_audit(label_audits.finish_label_audit(label_audit, by=signed_in(request)), request)


@extend_schema(request=None, responses=LabelAuditOut)
@api_view(["POST"])
def cancel_label_audit(request: Request, label_audit_id: int) -> Response:
    """Cancel the label audit without changing anything."""
    label_audit = get_visible_label_audit(signed_in(request), label_audit_id)
    return _label_audit(label_audits.cancel_label_audit(label_audit, by=signed_in(request)), request)


@extend_schema(request=None, responses=LabelAuditOut)
@api_view(["POST"])
def undo_label_audit(request: Request, label_audit_id: int) -> Response:
    """Withdraw the rulings of a finished label audit. Its reviews and its report are kept."""
    label_audit = get_visible_label_audit(signed_in(request), label_audit_id)
    return _label_audit(label_audits.undo_label_audit(label_audit, by=signed_in(request)), request)


def _label_audit(found: Any, request: Request, status: int = 200) -> Response:
    return answer(LabelAuditOut, with_progress([found], signed_in(request))[0], status)
