"""What the OpenAPI schema needs to know of our conventions: operations are named after the view functions."""

from functools import cache
from typing import Any, get_args

import orjson
from django.conf import settings
from django.utils import translation
from drf_spectacular.extensions import OpenApiAuthenticationExtension, OpenApiSerializerExtension
from drf_spectacular.generators import SchemaGenerator
from drf_spectacular.openapi import AutoSchema
from drf_spectacular.utils import Direction
from rest_framework.fields import empty
from rest_framework.permissions import IsAuthenticated

from labeling.api.serializers.labeler_quality import STATES as QUALITY_STATE
from labeling.api.serializers.people import STATES
from labeling.api.serializers.refusals import Refusal
from labeling.api.serializers.rounds import PLAIN_SOURCES
from labeling.api.serializers.session import KnownPreferences
from labeling.configs import FAMILIES
from labeling.configs.prm_families import AGGREGATIONS
from labeling.formats.export_config import AGREEMENTS
from labeling.formats.exports import EXPORT_FORMATS
from labeling.formats.exports.containers import CONTAINERS
from labeling.formats.exports.export_format import KINDS as EXPORT_KINDS
from labeling.formats.exports.export_format import Group
from labeling.formats.imports.columns import SPLITS as STEP_SPLITS
from labeling.generation.splitting import KINDS
from labeling.models import (
    EvaluationSet,
    ImportJob,
    Label,
    LabelAudit,
    LabelChange,
    Membership,
    NoticeKind,
    Problem,
    Project,
    Rating,
    Release,
    ReviewKind,
    Round,
    StepScorer,
    Suggestion,
    Task,
    Trace,
    TrainingRun,
    User,
    Webhook,
)
from labeling.models.notices import PROJECT_KINDS
from labeling.queries.label_list import AGREEMENTS as LABEL_AGREEMENTS
from labeling.queries.labeler_pace import CHANGES
from labeling.queries.round_figures import FIGURES as ROUND_FIGURES

Endpoint = tuple[str, str, str, Any]

# Sets of choices that several components share, each with one name (ENUM_NAME_OVERRIDES in the settings).
ROLE = Membership.Role.values
PROJECT_STATUS = Project.Status.values
ROUND_STATUS = Round.Status.values
LABEL_STATUS = Label.Status.values
JOB_STATUS = ImportJob.Status.values
PERSON_KIND = User.Kind.values
TASK_KIND = Task.Kind.values
YES_NO = ["yes", "no"]
EXPORT_AGREEMENT = list(AGREEMENTS)
LABEL_AGREEMENT = list(LABEL_AGREEMENTS)
LABEL_CHANGE_KIND = LabelChange.Kind.values
PACE_CHANGE = list(CHANGES)
TASK_STATE = ["waiting", "in_progress", "done"]
ROUND_FIGURE_NAME = list(ROUND_FIGURES)
ROUND_FIGURE_GROUP = ["found", "cost", "trust"]
OUTCOME = Trace.Outcome.values
RATING = [(rating, rating) for rating in Rating.values]
INVITATION_STATE = STATES
FINISH_REASON = Label.FinishReason.values
RULING_REASON = ["found_error", "solution", "bad_problem"]
QUALITY_STATE = QUALITY_STATE
EXPORT_FORMAT = list(EXPORT_FORMATS)
EXPORT_GROUP = list(get_args(Group))
EXPORT_KIND = list(EXPORT_KINDS)
EXPORT_CONTAINER = list(CONTAINERS)
NOTICE_KIND = NoticeKind.values
PROJECT_NOTICE_KIND = PROJECT_KINDS
WEBHOOK_FORMAT = Webhook.Format.values
SPLITTER_KIND = list(KINDS)
STEP_SPLIT = list(STEP_SPLITS)
PROBLEM_SPLIT = Problem.Split.values
PRM_FAMILY = list(FAMILIES)
PRM_AGGREGATION = list(AGGREGATIONS)
PRM_STATUS = StepScorer.Status.values
STEP_SCORER_KIND = StepScorer.Kind.values
ROUND_SOURCE = PLAIN_SOURCES
MARKS_SHOWN = ["after", "beside"]
SET_SOURCE = EvaluationSet.Source.values
TRAINING_STAGE = TrainingRun.Stage.values
REVIEW_KIND = ReviewKind.values
SUGGESTION_KIND = Suggestion.Kind.values
LABEL_AUDIT_STATUS = LabelAudit.Status.values
RELEASE_STATE = Release.State.values


class StepmarkSchema(AutoSchema):
    """`submit_label` becomes operation `submitLabel`, the name of the TypeScript function; every operation can be
    refused.
    """

    def get_operation(self, *args: Any) -> dict[str, Any] | None:
        """The operation with its refusals as the default answer."""
        operation = super().get_operation(*args)
        if operation is not None:
            operation["responses"]["default"] = self._get_response_for_code(Refusal, "default")
        return operation

    def get_operation_id(self) -> str:
        """The view function's name in camel case."""
        first, *rest = type(self.view).__name__.split("_")
        return first + "".join(word.capitalize() for word in rest)

    def _get_serializer_field_meta(self, field: Any, direction: str) -> dict[str, Any]:
        """Add the defaults that Spectacular leaves out: null, and an empty list or object."""
        meta: dict[str, Any] = super()._get_serializer_field_meta(field, direction)
        default = getattr(field, "default", empty)
        if default is None or default is list or default is dict:
            meta["default"] = None if default is None else default()
        return meta


class TokenScheme(OpenApiAuthenticationExtension):
    """`Authorization: Bearer smk_…` in the schema."""

    target_class = "labeling.api.authentication.TokenAuthentication"
    name = "apiToken"

    def get_security_definition(self, auto_schema: AutoSchema) -> dict[str, str]:
        """The OpenAPI security scheme."""
        return {"type": "http", "scheme": "bearer", "bearerFormat": "smk_…"}


class BrowserScheme(OpenApiAuthenticationExtension):
    """The session cookie in the schema."""

    target_class = "labeling.api.authentication.BrowserSession"
    name = "session"

    def get_security_definition(self, auto_schema: AutoSchema) -> dict[str, str]:
        """The OpenAPI security scheme."""
        return {"type": "apiKey", "in": "cookie", "name": "sessionid"}


class OpenPreferences(OpenApiSerializerExtension):
    """Settings of a page, which may hold more keys than the server knows."""

    target_class = KnownPreferences

    def map_serializer(self, auto_schema: AutoSchema, direction: Direction) -> dict[str, Any]:
        """The known fields, and any others."""
        known = auto_schema._map_serializer(self.target, direction, bypass_extensions=True)
        return {**known, "additionalProperties": {}}


class MayReadSchema(IsAuthenticated):
    """Anyone with an account, or everyone if PUBLIC_SCHEMA is on. The schema has URLs and shapes but no data."""

    def has_permission(self, request: Any, view: Any) -> bool:
        """Whether this request may read the schema."""
        return settings.PUBLIC_SCHEMA or super().has_permission(request, view)


class OneDocument(SchemaGenerator):
    """Everyone who may read the schema gets the same document. Making it takes a second, so it is made once."""

    def get_schema(self, request: Any = None, public: bool = False) -> dict[str, Any]:
        """The document, as plain JSON values. Callers must not change it."""
        return _document()


@cache
def _document() -> dict[str, Any]:
    with translation.override(None):  # not in the language of whoever asks first
        made = orjson.dumps(SchemaGenerator().get_schema(public=True), default=str)
    document: dict[str, Any] = orjson.loads(made)
    return document


def one_view_a_method(endpoints: list[Endpoint], **_: Any) -> list[Endpoint]:
    """Spectacular's preprocessing hook: looks behind `by_method` at the view of each HTTP method."""
    return [
        (path, regex, method, getattr(callback, "views", {}).get(method, callback))
        for path, regex, method, callback in endpoints
    ]
