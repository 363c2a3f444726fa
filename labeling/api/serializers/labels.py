"""What the labeling page sends and gets."""

from typing import Any

import orjson
from rest_framework import serializers

from labeling.api.serializers.runs import MAX_STEPS, RunMarks, StepIndexField, TextField, TypedStepShown
from labeling.api.short_lists import ShortList
from labeling.models import Label, Rating, Suggestion, TraceReport
from labeling.protocol.after_error import ASKABLE
from labeling.protocol.clauses import CITED
from labeling.protocol.error_kinds import STORED

MAX_SPANS = 20_000
MAX_DRAFT = 1_000_000
MAX_SUBMISSION = 2 * MAX_DRAFT  # beside its spans; whatever a draft could hold can be said
LAST_MOMENT = 1 << 53  # what a browser's number holds exactly; epoch milliseconds
LONGEST_MS = 1 << 40  # 34 years
VERDICT = "The trace's first error according to the label: a step from 0, -1 for no error. Null: it does not say."
BAD_PROBLEM_KINDS = [
    "missing_figure",
    "external_link",
    "false_premise",
    "vague",
    "too_many_parts",
    "other",
]

EMPTY_CODES = [
    *("no_open_round", "all_done_for_you", "all_being_labeled", "project_archived", "paused"),
    *("screening_failed", "screening_rejected", "screening_not_ready", "screening_not_begun"),
]


class ClaimIn(serializers.Serializer):
    of_any_version = True
    prefetch = serializers.BooleanField(default=False, help_text="Lease a second task ahead.")
    ahead = serializers.IntegerField(
        min_value=0,
        max_value=5,
        default=0,
        help_text="Lease up to this many tasks ahead. You get fewer if other active labelers would be left with less.",
    )
    begin_screening = serializers.BooleanField(
        default=True,
        help_text="False: labelers who need screening get a message about it, and their first attempt does not start.",
    )


class FinishDetail(serializers.Serializer):
    kind = serializers.ChoiceField(BAD_PROBLEM_KINDS, required=False, allow_blank=True)
    text = TextField(required=False)


class Mistake(serializers.Serializer):
    progress = serializers.ChoiceField(["none", "some", "most"], allow_null=True, default=None)
    explanation = TextField(default="")
    kind = serializers.RegexField(
        f"^{STORED.pattern}$", allow_blank=True, default="", help_text="From the round's list: `scheme:version:code`."
    )
    clause = serializers.RegexField(
        f"^{CITED.pattern}$", allow_blank=True, default="", help_text="From the guidelines: `§2.3`."
    )
    corrected_step = TextField(default="", help_text="What the step should have said.")


class RatedExplanation(serializers.Serializer):
    """A machine's explanation of the mistake, and the labeler's rating of it."""

    text = serializers.CharField()
    rating = serializers.ChoiceField(Rating.values, allow_null=True)
    flagged = serializers.BooleanField()


class MistakeSaid(Mistake):
    """As a finished label stores it."""

    explanations = RatedExplanation(many=True, default=list)


class SuggestionRating(serializers.Serializer):
    """The rating of a machine's explanation of the mistake, or of a next step that it suggests."""

    step = StepIndexField()
    kind = serializers.ChoiceField(Suggestion.Kind.values)
    number = serializers.IntegerField(min_value=1, max_value=1000)
    rating = serializers.ChoiceField(Rating.values, allow_null=True, default=None)
    flagged = serializers.BooleanField(default=False)


class AlternativeRating(serializers.Serializer):
    completion = serializers.IntegerField(min_value=1, max_value=(1 << 63) - 1)
    rating = serializers.ChoiceField(Rating.values, allow_null=True, default=None)
    flagged = serializers.BooleanField(default=False)


class CarriedMark(serializers.Serializer):
    """A rating that was filled in from an earlier label and not changed."""

    step = StepIndexField()
    completion = serializers.IntegerField(min_value=1, max_value=(1 << 63) - 1, allow_null=True, default=None)


class Comment(serializers.Serializer):
    step = StepIndexField()
    text = TextField()


class Report(serializers.Serializer):
    kind = serializers.ChoiceField(TraceReport.Kind.values)
    step = StepIndexField(allow_null=True, default=None)
    text = TextField(default="")


class Confirmation(serializers.Serializer):
    code = serializers.CharField(max_length=60)
    reason = TextField()


class Calculation(serializers.Serializer):
    """A line of the page's calculator."""

    input = serializers.CharField(max_length=500, trim_whitespace=False)
    result = serializers.CharField(max_length=1000, allow_blank=True, trim_whitespace=False)


class RatingsField(ShortList):
    """A rating or null for each step."""

    def __init__(self, **kwargs: Any) -> None:
        super().__init__(child=serializers.ChoiceField(Rating.values, allow_null=True), max_length=MAX_STEPS, **kwargs)

    def to_internal_value(self, data: Any) -> list[int | None]:
        """Plain ratings are accepted as they are. Any other list is checked entry by entry, and faults name the
        position."""
        if type(data) is list and len(data) <= MAX_STEPS and all(map(_is_plain_rating, data)):
            return data
        return super().to_internal_value(data)


class Spans(serializers.ListSerializer):
    """A submission may contain thousands of these."""

    def to_internal_value(self, data: Any) -> list[dict[str, Any]]:
        """Plain spans are accepted as they are. Any other list is checked entry by entry; faults name the position."""
        if type(data) is list and len(data) <= MAX_SPANS and all(map(_is_plain_span, data)):
            return [{"step": span.get("step"), "start": span["start"], "end": span["end"]} for span in data]
        return super().to_internal_value(data)


class SpanField(serializers.Serializer):
    """A time span in which an active person looked at a step."""

    class Meta:
        list_serializer_class = Spans

    step = StepIndexField(allow_null=True, default=None, help_text="Null: the problem, or the page as a whole.")
    start = serializers.IntegerField(min_value=0, max_value=LAST_MOMENT, help_text="Epoch milliseconds.")
    end = serializers.IntegerField(min_value=0, max_value=LAST_MOMENT)


def _is_plain_rating(rating: Any) -> bool:
    return rating is None or (type(rating) is int and -1 <= rating <= 1)


def _is_plain_span(span: Any) -> bool:
    if type(span) is not dict:
        return False
    start, end, step = span.get("start"), span.get("end"), span.get("step")
    return (
        type(start) is type(end) is int
        and 0 <= start <= LAST_MOMENT
        and 0 <= end <= LAST_MOMENT
        and (step is None or (type(step) is int and 0 <= step <= MAX_STEPS))
    )


def _many(item: type[serializers.Serializer], at_most: int) -> Any:
    """A list of `item`, empty if omitted. A list longer than `at_most` is refused."""
    return item(many=True, default=list, max_length=at_most)  # type: ignore[call-arg]  # many takes it


class PrefixHashField(serializers.RegexField):
    """Which path is meant: 64 hex digits."""

    def __init__(self, **kwargs: Any) -> None:
        super().__init__(r"^[0-9a-f]{64}$", help_text="The hash of the path that is meant, as it was sent.", **kwargs)


class CompletionRating(serializers.Serializer):
    """The rating of a completion. If the labeler is unsure, it is flagged instead of rated."""

    number = serializers.IntegerField(min_value=0, max_value=MAX_STEPS)
    rating = serializers.ChoiceField(Rating.values, allow_null=True, default=None)
    flagged = serializers.BooleanField(default=False)


class PathEnd(serializers.Serializer):
    """For rounds in which labelers choose paths: which path ends, and the ratings of the open completions."""

    prefix_hash = PrefixHashField()
    ratings = _many(CompletionRating, 100)


class SubmitIn(serializers.Serializer):
    of_any_version = True
    idempotency_key = serializers.UUIDField()
    finish_reason = serializers.ChoiceField(Label.FinishReason.values)
    finish_detail = FinishDetail(default=dict)
    ratings = RatingsField(help_text="One entry per step, in order. Null if the step was not rated.")
    noticed_at_step = StepIndexField(allow_null=True, default=None)
    mistake = Mistake(allow_null=True, default=None)
    alternatives = _many(AlternativeRating, 1000)
    suggestions = _many(SuggestionRating, 1000)
    carried = _many(CarriedMark, MAX_STEPS)
    comments = _many(Comment, 1000)
    reports = _many(Report, 1000)
    confirmations = _many(Confirmation, 20)
    calculations = _many(Calculation, 200)
    spans = _many(SpanField, MAX_SPANS)
    total_ms = serializers.IntegerField(min_value=0, max_value=LONGEST_MS, allow_null=True, default=None)
    client_build = serializers.CharField(max_length=60, allow_blank=True, default="")
    run_marks = RunMarks(allow_null=True, default=None)
    path = PathEnd(allow_null=True, default=None)


class DraftIn(serializers.Serializer):
    of_any_version = True
    draft = serializers.DictField()
    base_revision = serializers.IntegerField(min_value=0, max_value=(1 << 31) - 2)

    def validate_draft(self, draft: dict[str, Any]) -> dict[str, Any]:
        """The content of a draft is up to the page, as long as a draft is not used for general storage."""
        if len(orjson.dumps(draft)) > MAX_DRAFT:
            raise serializers.ValidationError(f"A draft holds at most {MAX_DRAFT} bytes.")
        return draft


class DraftOut(serializers.Serializer):
    draft_revision = serializers.IntegerField()
    leased_until = serializers.DateTimeField(allow_null=True)


class LeaseOut(serializers.Serializer):
    status = serializers.ChoiceField(Label.Status.values)
    leased_until = serializers.DateTimeField(allow_null=True)


class ReleaseIn(serializers.Serializer):
    of_any_version = True
    reason = TextField(default="", max_length=500)


class ReferenceOut(serializers.Serializer):
    solution = serializers.CharField()


class ProjectRef(serializers.Serializer):
    slug = serializers.CharField()
    name = serializers.CharField()


class RoundRef(serializers.Serializer):
    id = serializers.IntegerField()
    number = serializers.IntegerField()
    name = serializers.CharField()


class LabelerRef(serializers.Serializer):
    id = serializers.IntegerField()
    display_name = serializers.CharField(source="shown_name")


class ProblemShown(serializers.Serializer):
    """No id and no source: they would reveal which problems were imported together, and so which are gold."""

    text = serializers.CharField()
    answer = serializers.CharField(allow_null=True)
    accepted_answers = serializers.ListField(child=serializers.CharField(), help_text="Right too.")
    subject = serializers.CharField()
    level = serializers.CharField()


class AlternativeShown(serializers.Serializer):
    id = serializers.IntegerField(
        help_text="Its number among the trace's alternatives. Labels use it to rate the alternative."
    )
    step = serializers.IntegerField()
    text = serializers.CharField()


class CarriedRating(serializers.Serializer):
    """The labeler's earlier rating of the same text, as the trace's own step or as an alternative."""

    step = serializers.IntegerField()
    completion = serializers.IntegerField(allow_null=True)
    rating = serializers.ChoiceField(Rating.values, allow_null=True)
    flagged = serializers.BooleanField()
    label_id = serializers.IntegerField(help_text="Their label with that rating.")
    submitted_at = serializers.DateTimeField()


class ErrorKindShown(serializers.Serializer):
    code = serializers.CharField(help_text="As in a label: `scheme:version:code`.")
    title = serializers.CharField()
    about = serializers.CharField(help_text="When to choose it. May be empty.")


class AfterErrorShown(serializers.Serializer):
    """What the round offers and asks for at a mistake. The same for every label of the round."""

    kinds = ErrorKindShown(many=True)
    asked = serializers.ListField(child=serializers.ChoiceField(list(ASKABLE)))
    suggests = serializers.BooleanField(help_text="Machines write explanations and next steps. Request them.")


class LabelOut(serializers.Serializer):
    """Everything that the labeling page shows. It is the same for every kind of task and has only the label's id:
    counted ids of tasks, traces or problems would reveal which were made together. `label_shapes.label_out` writes it,
    for speed.
    """

    id = serializers.IntegerField()
    status = serializers.ChoiceField(Label.Status.values)
    project = ProjectRef()
    round = RoundRef()
    protocol = serializers.CharField(help_text="How the round's traces are labeled.")
    problem = ProblemShown()
    steps = serializers.ListField(child=serializers.CharField())
    typed_steps = TypedStepShown(
        many=True, allow_null=True, help_text="Only for an agent's run; `steps` are its rated units."
    )
    alternatives = AlternativeShown(many=True)
    after_error = AfterErrorShown()
    carried = CarriedRating(many=True)
    earlier_labels = serializers.IntegerField(help_text="Your labels of other traces of the problem. At most 20.")
    outcome = serializers.ChoiceField(["correct", "wrong", "ungraded"])
    leased_until = serializers.DateTimeField(allow_null=True)
    server_time = serializers.DateTimeField()
    opened_at = serializers.DateTimeField(allow_null=True)
    finished_at = serializers.DateTimeField(
        source="submitted_at", allow_null=True, help_text="When it was submitted. Null: not yet."
    )
    draft = serializers.JSONField(allow_null=True)
    draft_revision = serializers.IntegerField()
    guideline_version = serializers.IntegerField()
    surplus = serializers.BooleanField()
    submission = SubmitIn(allow_null=True)
    can_revise_until = serializers.DateTimeField(allow_null=True)
    reference_solution_available = serializers.BooleanField()
    machine = serializers.ChoiceField(
        ["after", "beside"],
        allow_null=True,
        help_text="When to request a machine's marks of this trace (`reveal`): after submission, or at once.",
    )


class EmptyOut(serializers.Serializer):
    code = serializers.ChoiceField(EMPTY_CODES)
    detail = serializers.CharField()
    tasks_left = serializers.IntegerField()
    next_free_in_seconds = serializers.IntegerField(allow_null=True)


class ClaimOut(serializers.Serializer):
    label = LabelOut(allow_null=True)  # type: ignore[assignment]  # also a name of DRF
    next = LabelOut(allow_null=True)
    empty = EmptyOut(allow_null=True)
    further = serializers.ListField(
        child=serializers.IntegerField(), help_text="The labels leased ahead after `next`, in order."
    )
    leased = LabelOut(
        allow_null=True,
        help_text="The one of `further` that this claim leased, as `GET` returns it. Null: it leased none, or several.",
    )
