"""Releases: draft, answer, release, download, compare and withdraw them, and trace a row back to its label."""

from typing import Any

from django.http import HttpResponse
from django.http.response import HttpResponseBase
from drf_spectacular.types import OpenApiTypes
from drf_spectacular.utils import OpenApiParameter, extend_schema
from rest_framework import serializers
from rest_framework.decorators import api_view, permission_classes, throttle_classes
from rest_framework.request import Request
from rest_framework.response import Response

from labeling import queries
from labeling.actions import releases
from labeling.actions.release_folder import data_paths
from labeling.actions.released_rows import find_row, places_of
from labeling.api.answers import With, answer, file_of, handed_out
from labeling.api.checks import SENSITIVE
from labeling.api.pages import PAGE_PARAMETERS, page_of, paged
from labeling.api.parameters import LARGEST_ID
from labeling.api.requests import checked, in_browser, read_body, signed_in
from labeling.api.serializers.released_labels import (
    FoundRowOut,
    IncidentOut,
    ReleasedLabelOut,
    ReleaseLabelersOut,
    WentIntoOut,
    incident,
    labelers_of,
    released_labels,
    went_into,
)
from labeling.api.serializers.releases import (
    DraftReleaseIn,
    FindRowIn,
    PushReleaseIn,
    ReleaseAnswersIn,
    ReleaseCardOut,
    ReleaseDiffOut,
    ReleaseOut,
    ReleasePushOut,
    ReleaseSummary,
    WithdrawReleaseIn,
    WithoutLabelerIn,
    diff,
    diff_table,
)
from labeling.api.tables import CSV, csv_file
from labeling.api.throttles import allowance
from labeling.queries.projects import ADMIN, RESEARCHER, get_project_as
from labeling.queries.releases import get_visible_release

ZIP = releases.ZIP


def _shown(release: Any, status: int = 200) -> Response:
    """A release, the names of its files, and whether the files still exist."""
    paths = data_paths(release, queries.releases.exports_in(release))
    return answer(ReleaseOut, With(release, files_at_hand=releases.is_at_hand(release), paths=paths), status)


class WhichLabels(serializers.Serializer):
    """The labels of one labeler (by the id in the files) or of one trace. Empty: all labels."""

    labeler = serializers.CharField(required=False, allow_blank=True, max_length=200)
    trace = serializers.IntegerField(required=False, min_value=1, max_value=LARGEST_ID)


@extend_schema(responses=paged(ReleaseSummary), parameters=PAGE_PARAMETERS)
@api_view(["GET"])
def list_releases(request: Request, slug: str) -> Response:
    """A project's releases, newest first."""
    project = get_project_as(signed_in(request), slug, RESEARCHER)
    return page_of(request, queries.releases.releases_of(project), ReleaseSummary)


@extend_schema(request=DraftReleaseIn, responses={201: ReleaseOut})
@api_view(["POST"])
@throttle_classes([allowance("release_jobs")])
def create_release(request: Request, slug: str) -> Response:
    """Draft a release of some exports. A worker then checks it."""
    project = get_project_as(signed_in(request), slug, ADMIN)
    made = releases.create_release(project, by=signed_in(request), **read_body(request, DraftReleaseIn))
    return _shown(made, 201)


@extend_schema(responses=ReleaseOut)
@api_view(["GET"])
def get_release(request: Request, release_id: int) -> Response:
    """One release: its state, questions and answers, the result of the check, and where it was pushed."""
    return _shown(get_visible_release(signed_in(request), release_id))


@extend_schema(request=ReleaseAnswersIn, responses=ReleaseOut)
@api_view(["PATCH"])
def answer_release(request: Request, release_id: int) -> Response:
    """Answer questions on a draft's card."""
    release = get_visible_release(signed_in(request), release_id, ADMIN)
    answers = read_body(request, ReleaseAnswersIn)["answers"]
    return _shown(releases.answer_release(release, by=signed_in(request), answers=answers))


@extend_schema(request=None, responses=ReleaseOut)
@api_view(["POST"])
def check_release(request: Request, release_id: int) -> Response:
    """Check a draft again."""
    release = get_visible_release(signed_in(request), release_id, ADMIN)
    return _shown(releases.check_release(release, by=signed_in(request)))


@extend_schema(request=None, responses=ReleaseSummary)
@api_view(["POST"])
def remove_draft(request: Request, release_id: int) -> Response:
    """Delete a draft and return it one last time. Its exports are kept."""
    release = get_visible_release(signed_in(request), release_id, ADMIN)
    releases.remove_draft(release, by=signed_in(request))
    return answer(ReleaseSummary, release)


@extend_schema(request=None, responses=ReleaseOut)
@api_view(["POST"])
@permission_classes(SENSITIVE)
def publish_release(request: Request, release_id: int) -> Response:
    """Release a draft, permanently. It is refused while any answer is blank."""
    release = get_visible_release(signed_in(request), release_id, ADMIN)
    return _shown(releases.publish_release(release, by=signed_in(request)))


@extend_schema(request=None, responses=ReleaseOut)
@api_view(["POST"])
def repack_release(request: Request, release_id: int) -> Response:
    """Pack a release again after packing failed."""
    release = get_visible_release(signed_in(request), release_id, ADMIN)
    return _shown(releases.repack_release(release, by=signed_in(request)))


@extend_schema(request=WithdrawReleaseIn, responses=ReleaseOut)
@api_view(["POST"])
@permission_classes(SENSITIVE)
def withdraw_release(request: Request, release_id: int) -> Response:
    """Withdraw a release: it can no longer be downloaded, and every later manifest says so."""
    release = get_visible_release(signed_in(request), release_id, ADMIN)
    because = read_body(request, WithdrawReleaseIn)["because"]
    return _shown(releases.withdraw_release(release, by=signed_in(request), because=because))


@extend_schema(responses=ReleaseCardOut)
@api_view(["GET"])
def get_release_card(request: Request, release_id: int) -> Response:
    """The card of a release, or a draft's card as it would be now."""
    text = releases.card_text(get_visible_release(signed_in(request), release_id))
    _, front_matter, markdown = text.split("---\n", 2)
    return answer(ReleaseCardOut, {"markdown": markdown.strip(), "front_matter": front_matter})


@extend_schema(responses=file_of(ZIP))
@api_view(["GET"])
def download_release(request: Request, release_id: int) -> HttpResponseBase:
    """The folder as one file: card, licence, croissant.json, manifest, rows. With a bucket, browsers are redirected.

    `Range: bytes=1024-` requests only the rest of the file. The ETag is the manifest's SHA-256.
    """
    release = get_visible_release(signed_in(request), release_id)
    found = releases.hand_out_release(release, by=signed_in(request), link=in_browser(request))
    name = f"{releases.file_stem(release)}.zip"
    return handed_out(found, name, ZIP, tag=release.manifest_sha256, asked=request.headers)


BEFORE = OpenApiParameter("before", int, description="The release to compare with. Default: the previous one.")


@extend_schema(responses=ReleaseDiffOut, parameters=[BEFORE])
@api_view(["GET"])
def get_release_diff(request: Request, release_id: int) -> Response:
    """What changed since another release of the project."""
    return answer(ReleaseDiffOut, diff(*_two(request, release_id)))


@extend_schema(responses={(200, CSV): OpenApiTypes.BINARY}, parameters=[BEFORE])
@api_view(["GET"])
def download_release_diff(request: Request, release_id: int) -> HttpResponse:
    """Every label that is not the same in both releases."""
    before, after = _two(request, release_id)
    return csv_file(f"{releases.file_stem(after)}-since-{before.pk}.csv", diff_table(before, after))


def _two(request: Request, release_id: int) -> tuple[Any, Any]:
    after = get_visible_release(signed_in(request), release_id)
    return queries.releases.release_before(after, request.query_params.get("before", "")), after


@extend_schema(responses=paged(ReleasedLabelOut), parameters=[*PAGE_PARAMETERS, WhichLabels])
@api_view(["GET"])
def list_released_labels(request: Request, release_id: int) -> Response:
    """The labels of a release, newest first."""
    reader = signed_in(request)
    release = get_visible_release(reader, release_id)
    asked = checked(request.query_params.dict(), WhichLabels)
    found = queries.releases.labels_in(release, reader, **asked)
    return page_of(request, found, ReleasedLabelOut, prepared=lambda page: released_labels(release, page))


@extend_schema(responses=IncidentOut)
@api_view(["GET"])
def get_released_label(request: Request, release_id: int, released_id: int) -> Response:
    """One released label: who made it and why, its guidelines, its reviews, and where else it went."""
    release = get_visible_release(signed_in(request), release_id)
    label = queries.releases.get_released_label(release, signed_in(request), released_id)
    return answer(IncidentOut, incident(release, label, places_of(release, label.pk)))


@extend_schema(request=FindRowIn, responses=FoundRowOut)
@api_view(["POST"])
def find_released_row(request: Request, release_id: int) -> Response:
    """Find the labels behind a row, given as it is in a file. Changes nothing."""
    release = get_visible_release(signed_in(request), release_id)
    return answer(FoundRowOut, find_row(release, signed_in(request), **read_body(request, FindRowIn)))


@extend_schema(responses=ReleaseLabelersOut)
@api_view(["GET"])
def get_release_labelers(request: Request, release_id: int) -> Response:
    """The labelers whose labels are in a release."""
    return answer(ReleaseLabelersOut, labelers_of(get_visible_release(signed_in(request), release_id)))


@extend_schema(responses=WentIntoOut, parameters=[OpenApiParameter("labeler", str, required=True)])
@api_view(["GET"])
def trace_labeler(request: Request, release_id: int) -> Response:
    """The releases and PRMs that hold labels of one labeler of this release."""
    release = get_visible_release(signed_in(request), release_id)
    labeler = checked(request.query_params.dict(), WithoutLabelerIn)["labeler"]
    labels = queries.releases.labels_by_labeler(release.project, labeler)
    return answer(WentIntoOut, went_into(queries.releases.went_into(release.project, labels)))


@extend_schema(request=WithoutLabelerIn, responses={201: ReleaseOut})
@api_view(["POST"])
@throttle_classes([allowance("exports")])
def release_without(request: Request, release_id: int) -> Response:
    """Draft a new version without one labeler's labels."""
    release = get_visible_release(signed_in(request), release_id, ADMIN)
    made = releases.release_without(release, by=signed_in(request), **read_body(request, WithoutLabelerIn))
    return _shown(made, 201)


@extend_schema(request=PushReleaseIn, responses={201: ReleasePushOut})
@api_view(["POST"])
@permission_classes(SENSITIVE)
@throttle_classes([allowance("release_jobs")])
def push_release(request: Request, release_id: int) -> Response:
    """Have a worker push a release to a place named by the operator."""
    release = get_visible_release(signed_in(request), release_id, ADMIN)
    made = releases.create_push(release, by=signed_in(request), **read_body(request, PushReleaseIn))
    return answer(ReleasePushOut, made, 201)
