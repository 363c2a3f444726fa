"""The labeling page's calls: claim, heartbeat, draft, submit and what follows."""

from functools import partial
from typing import Any

import orjson
from drf_spectacular.utils import extend_schema
from rest_framework.decorators import api_view, throttle_classes
from rest_framework.exceptions import ValidationError
from rest_framework.request import Request
from rest_framework.response import Response

from labeling import queries
from labeling.actions import allowances, label_reveal, labels, suggestions
from labeling.api.answers import With, answer
from labeling.api.pages import PAGE_PARAMETERS, page_of, paged
from labeling.api.requests import checked, read_body, signed_in
from labeling.api.serializers import label_shapes as shapes
from labeling.api.serializers.finished_labels import (
    BrowseMyLabelsIn,
    EarlierLabelsOut,
    LabelSummary,
    LeaseHeld,
    MyLabel,
    RevealedOut,
    SubmittedOut,
    in_diary,
)
from labeling.api.serializers.label_comparison import LabelComparisonOut, with_labels
from labeling.api.serializers.labels import (
    MAX_SUBMISSION,
    ClaimIn,
    ClaimOut,
    DraftIn,
    DraftOut,
    LabelOut,
    LeaseOut,
    ReferenceOut,
    ReleaseIn,
    SubmitIn,
)
from labeling.api.serializers.my_progress import MyProgress, MyProgressIn, MyStats
from labeling.api.serializers.paths import path_in_refusals
from labeling.api.serializers.suggestions import SuggestionsIn, SuggestionsOut
from labeling.api.throttles import allowance
from labeling.queries.own_progress import own_progress
from labeling.queries.projects import ANNOTATOR, RESEARCHER, get_project_as


@extend_schema(request=ClaimIn, responses=ClaimOut)
@api_view(["POST"])
@throttle_classes([allowance("claims")])
def claim_next_label(request: Request, slug: str) -> Response:
    """Lease the next task, or return the label you already hold. `prefetch` leases one ahead."""
    body = read_body(request, ClaimIn)
    project = get_project_as(signed_in(request), slug, ANNOTATOR)
    claim = labels.claim_next_label(signed_in(request), project, **body)
    return Response(shapes.claim_out(claim))


@extend_schema(responses=LabelOut)
@api_view(["GET"])
def get_label(request: Request, label_id: int) -> Response:
    """One of your own labels."""
    return Response(shapes.label_out(queries.labels.get_own_label_shown(signed_in(request), label_id)))


@extend_schema(request=None, responses=LeaseOut)
@api_view(["POST"])
def renew_lease(request: Request, label_id: int) -> Response:
    """The heartbeat of an active labeler: extends the lease."""
    label = labels.renew_lease(queries.labels.get_own_label(signed_in(request), label_id))
    return answer(LeaseOut, label)


@extend_schema(request=DraftIn, responses=DraftOut)
@api_view(["PUT"])
def save_draft(request: Request, label_id: int) -> Response:
    """Save the unfinished work on a label."""
    body = read_body(request, DraftIn)
    label = queries.labels.get_own_label(signed_in(request), label_id)
    label = labels.save_draft(label, **body)
    return answer(DraftOut, label)


def _read_submission(request: Request) -> dict[str, Any]:
    """The body of a submission. Raises AllowanceUsed, or ValidationError, also for a body that is too large."""
    body = read_body(request, SubmitIn)
    if int(request.META.get("CONTENT_LENGTH") or MAX_SUBMISSION) > labels.FREE_DRAFT_BYTES:
        kept = len(orjson.dumps({**request.data, "spans": None}))  # type: ignore[dict-item]  # it was checked: an object
        if kept > MAX_SUBMISSION:
            raise ValidationError([f"A submission holds at most {MAX_SUBMISSION:,} bytes. Shorten its comments."])
        if kept > labels.FREE_DRAFT_BYTES:
            allowances.spend(signed_in(request), "submission_bytes", kept - labels.FREE_DRAFT_BYTES)
    return body


@extend_schema(request=SubmitIn, responses=SubmittedOut)
@api_view(["POST"])
def submit_label(request: Request, label_id: int) -> Response:
    """Submit finished work, exactly once per idempotency key."""
    body = _read_submission(request)
    label = queries.labels.get_own_label_shown(signed_in(request), label_id)
    submission = shapes.submission_in(label, body)
    with path_in_refusals():
        label = labels.submit_label(label, submission)
    submitted = With(label, ratings=(label.submission or {}).get("ratings", submission.ratings))
    said = {"label": submitted, "surplus": label.surplus, "round_closed": label.task.round.is_closed}
    return answer(SubmittedOut, said)


@extend_schema(request=None, responses=LabelOut)
@api_view(["POST"])
def reopen_label(request: Request, label_id: int) -> Response:
    """Take a submission back within 60 seconds."""
    label = labels.reopen_label(queries.labels.get_own_label(signed_in(request), label_id))
    return Response(shapes.label_out(label))


@extend_schema(request=None, responses=LabelOut)
@api_view(["POST"])
def resume_label(request: Request, label_id: int) -> Response:
    """Continue a label whose lease has ended."""
    label = labels.resume_label(queries.labels.get_own_label(signed_in(request), label_id))
    return Response(shapes.label_out(label))


@extend_schema(request=SubmitIn, responses=LabelSummary)
@api_view(["POST"])
@throttle_classes([allowance("revisions")])
def revise_label(request: Request, label_id: int) -> Response:
    """Replace a submitted label by a new version. The old version is kept."""
    body = _read_submission(request)
    label = queries.labels.get_own_label(signed_in(request), label_id)
    label = labels.revise_label(label, shapes.submission_in(label, body))
    return answer(LabelSummary, label)


@extend_schema(request=ReleaseIn, responses=LeaseOut)
@api_view(["POST"])
@throttle_classes([allowance("releases")])
def release_label(request: Request, label_id: int) -> Response:
    """Release a label and give its slot back: your own label or, as a project admin, anyone's."""
    body = read_body(request, ReleaseIn)
    label = queries.labels.get_releasable_label(signed_in(request), label_id)
    label = labels.release_label(label, by=signed_in(request), **body)
    return answer(LeaseOut, label)


@extend_schema(responses=EarlierLabelsOut)
@api_view(["GET"])
def list_earlier_labels(request: Request, label_id: int) -> Response:
    """Your latest labels of other traces of the same problem, newest first."""
    label = queries.labels.get_own_label_shown(signed_in(request), label_id)
    found = queries.carried_over.own_labels_of_problem(label)[:20]
    return answer(EarlierLabelsOut, {"results": found})


@extend_schema(request=None, responses=ReferenceOut)
@api_view(["POST"])
def show_reference(request: Request, label_id: int) -> Response:
    """The reference solution, if the project allows it. Each view is recorded."""
    label = queries.labels.get_own_label(signed_in(request), label_id)
    return answer(ReferenceOut, {"solution": labels.show_reference(label)})


@extend_schema(request=SuggestionsIn, responses=SuggestionsOut)
@api_view(["POST"])
def ask_suggestions(request: Request, label_id: int) -> Response:
    """Machine suggestions at a step: what the mistake is, and what to write instead. Missing ones are requested."""
    body = read_body(request, SuggestionsIn)
    label = queries.labels.get_own_label_shown(signed_in(request), label_id)
    return answer(SuggestionsOut, suggestions.ask_suggestions(label, **body))


@extend_schema(responses=paged(MyLabel), parameters=[BrowseMyLabelsIn, *PAGE_PARAMETERS])
@api_view(["GET"])
def list_my_labels(request: Request, slug: str) -> Response:
    """Your labels in this project, newest first, and expired leases with unfinished work.

    A search looks at a limited number of labels per page, so a page may be empty and still have a `next`.
    """
    project = get_project_as(signed_in(request), slug, ANNOTATOR)
    asked = BrowseMyLabelsIn(data=request.query_params)
    asked.is_valid(raise_exception=True)
    own = queries.diary.own_labels(signed_in(request), project)
    by = asked.validated_data
    narrowed = partial(queries.diary.narrow_own_labels, project=project, **by) if any(by.values()) else None
    return page_of(request, own, MyLabel, prepared=partial(in_diary, project), narrowed=narrowed)


@extend_schema(responses=MyProgress, parameters=[MyProgressIn])
@api_view(["GET"])
def get_my_progress(request: Request, slug: str) -> Response:
    """Your work today and the round's progress, for the header of the labeling page."""
    project = get_project_as(signed_in(request), slug, ANNOTATOR)
    asked = checked(request.query_params.dict(), MyProgressIn)
    progress = own_progress(signed_in(request), project, asked.get("round"))
    return answer(MyProgress, progress | {"floor_ms": queries.haste.kept_floor_ms(project)})


@extend_schema(responses=MyStats)
@api_view(["GET"])
def get_my_stats(request: Request, slug: str) -> Response:
    """Your own counts and active time."""
    project = get_project_as(signed_in(request), slug, ANNOTATOR)
    return answer(MyStats, queries.overview.labeler_stats(signed_in(request), project))


@extend_schema(responses=paged(LeaseHeld), parameters=PAGE_PARAMETERS)
@api_view(["GET"])
def list_leases(request: Request, slug: str) -> Response:
    """Who holds which labels, and until when."""
    reader = signed_in(request)
    held = queries.labels.leases(get_project_as(reader, slug, RESEARCHER), reader)
    return page_of(request, held, LeaseHeld, order=("id",))


@extend_schema(responses=LabelComparisonOut)
@api_view(["GET"])
def get_comparison(request: Request, label_id: int) -> Response:
    """The labels of a trace that you labeled, side by side, once it is settled."""
    own, stands = queries.label_comparison.get_comparison(signed_in(request), label_id)
    return answer(LabelComparisonOut, with_labels(own, stands))


@extend_schema(request=None, responses=RevealedOut)
@api_view(["POST"])
def reveal_scores(request: Request, label_id: int) -> Response:
    """What machines thought of a trace that you labeled, or are labeling next to their marks. The view is recorded."""
    label = queries.labels.get_own_label_shown(signed_in(request), label_id)
    return answer(RevealedOut, label_reveal.reveal_scores(label)._asdict())
