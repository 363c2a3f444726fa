"""The list of all labels: its filters, rows and facets, bulk changes, and saved views."""

from collections.abc import Iterable, Sequence
from typing import Any

from django.core.validators import RegexValidator
from rest_framework import serializers

from labeling.api.answers import Shape, With, chunks_of
from labeling.api.one_line import OneLine
from labeling.api.parameters import LARGEST_ID
from labeling.api.serializers.estimates import AsOf
from labeling.api.serializers.finished_labels import own_ratings
from labeling.api.serializers.labels import VERDICT, RatingsField, RoundRef
from labeling.api.serializers.people import PersonRef, SourceRef
from labeling.api.serializers.rounds import PrmRef
from labeling.api.serializers.runs import MAX_STEPS
from labeling.api.short_lists import ShortList
from labeling.models import Label, LabelChange, Task, User
from labeling.queries.label_list import AGREEMENTS, FILTERS, PACES, REASONS, VERDICTS, Facts, LabelList

MOST_IDS = 1_000
YES_NO = ("yes", "no")
EXCERPT = 200


def _one_of(values: Sequence[str], help_text: str) -> serializers.ChoiceField:
    return serializers.ChoiceField(list(values), required=False, allow_blank=True, help_text=help_text)


class LabelFiltersIn(serializers.Serializer):
    """Which labels. Empty filters are ignored."""

    labeler = serializers.IntegerField(min_value=1, max_value=LARGEST_ID, required=False)
    round = serializers.IntegerField(min_value=1, max_value=LARGEST_ID, required=False)
    verdict = _one_of(VERDICTS, "How the label ended.")
    step = serializers.IntegerField(
        min_value=0, max_value=MAX_STEPS, required=False, help_text="The step of the first error, from 0."
    )
    pace = _one_of(list(PACES), "Active seconds per rated step.")
    agreement = _one_of(AGREEMENTS, "Compared with the other labels of its task. `alone`: there are none.")
    source = _one_of(("person", "imported"), "Made here, or elsewhere.")  # type: ignore[assignment]  # also a name of DRF
    kind = _one_of(Task.Kind.values, "The problem's subject.")
    reviewed = _one_of(YES_NO, "A reviewer settled or decided it, or it was reviewed blind.")
    excluded = _one_of(YES_NO, "Left out of exports, releases, training and measuring.")
    tag = serializers.CharField(max_length=40, required=False, allow_blank=True)
    why = _one_of((*REASONS, "any"), "A reason to look at it again.")
    since = serializers.DateTimeField(required=False, help_text="Submitted at this time or later.")
    until = serializers.DateTimeField(required=False, help_text="Submitted before.")
    q = serializers.CharField(
        max_length=200,
        required=False,
        allow_blank=True,
        help_text="Words of the problem or of a step, exactly as written.",
    )


class TagField(OneLine):
    """A short word or two. A semicolon separates several tags in one cell."""

    def __init__(self, **options: Any) -> None:
        said = "A tag must not contain a semicolon: it separates tags in the table of labels."
        super().__init__(max_length=40, validators=[RegexValidator(r"^[^;]*$", said)], **options)


class ListedLabel(Shape):
    """A label prepared by `with_facts`."""

    id = serializers.IntegerField()
    submitted_at = serializers.DateTimeField()
    labeler = SourceRef()
    round = RoundRef(source="task.round")
    task_id = serializers.IntegerField()
    kind = serializers.ChoiceField(Task.Kind.values, source="task.kind")
    trace_id = serializers.IntegerField(source="task.trace_id")
    problem_text = serializers.CharField(help_text="Its beginning.")
    excerpt = serializers.CharField(
        help_text="The beginning of the step in question: the first error, otherwise the last."
    )
    excerpt_step = serializers.IntegerField()
    finish_reason = serializers.ChoiceField(Label.FinishReason.values)
    verdict = serializers.IntegerField(allow_null=True, help_text=VERDICT)
    ratings = RatingsField(help_text="One per step.")
    seconds_a_step = serializers.FloatField(allow_null=True, help_text="Null: not timed here, or no step was rated.")
    hasty = serializers.BooleanField()
    agreement = serializers.ChoiceField(list(AGREEMENTS))
    surprisal = serializers.FloatField(
        allow_null=True,
        help_text="Surprisal of its least likely rating, in nats, by the project's selector. Null if the selector "
        "says nothing.",
    )
    least_likely_step = serializers.IntegerField(allow_null=True)
    reviewed = serializers.BooleanField()
    excluded = serializers.BooleanField()
    surplus = serializers.BooleanField()
    tags = serializers.ListField(child=serializers.CharField())

    def problem_text_of(self, label: With) -> str:
        """The beginning of the problem's text, which was read with the label."""
        return label.task.trace.problem.text[:160]

    def excerpt_of(self, label: With) -> str:
        """The beginning of the step."""
        return label.task.trace.steps[self.excerpt_step_of(label)][:EXCERPT] if label.task.trace.steps else ""

    def excerpt_step_of(self, label: With) -> int:
        """The step of the first error, otherwise the last."""
        last = len(label.task.trace.steps) - 1
        return last if label.verdict is None or not 0 <= label.verdict <= last else label.verdict

    def ratings_of(self, label: With) -> list[int | None]:
        """Only for the trace's own steps."""
        return own_ratings(label.row)

    def tags_of(self, label: With) -> list[str]:
        """In alphabetical order."""
        return sorted(one.tag for one in label.tags.all())


class FacetValue(serializers.Serializer):
    value = serializers.CharField(help_text="In the form that the filter of this name takes.")
    name = serializers.CharField(help_text="The name of a labeler or a round. Empty: the value says it.")
    labels = serializers.IntegerField(help_text="Labels that match this value and all other filters.")


class Facet(serializers.Serializer):
    name = serializers.CharField(help_text="The filter.")
    values = FacetValue(many=True)


class LabelFacetsOut(AsOf):
    all = serializers.IntegerField(help_text="Current labels of the project.")
    total = serializers.IntegerField(help_text="Of those, the labels that match the filters.")
    floor_ms = serializers.IntegerField(help_text="A label with less active time per step than this is hasty.")
    scorer = PrmRef(
        allow_null=True, help_text="The selector, whose surprisal is shown. Null: no selector gives probabilities."
    )
    facets = Facet(many=True)
    tags = serializers.ListField(child=serializers.CharField())


class ChangeLabelsIn(serializers.Serializer):
    """Either `ids` or `filters`."""

    kind = serializers.ChoiceField(LabelChange.Kind.values)
    ids = ShortList(
        child=serializers.IntegerField(min_value=1, max_value=LARGEST_ID), max_length=MOST_IDS, required=False
    )
    filters = LabelFiltersIn(required=False, help_text="All matching labels. {} means all labels of the project.")
    tag = serializers.CharField(max_length=40, required=False, allow_blank=True, default="")
    because = serializers.CharField(max_length=500, required=False, allow_blank=True, default="")

    def validate(self, attrs: dict[str, Any]) -> dict[str, Any]:
        """Labels are picked in exactly one way. Tag changes need a tag."""
        if ("ids" in attrs) == ("filters" in attrs):
            raise serializers.ValidationError({"ids": ["Give either ids or filters."]})
        if attrs["kind"] in (LabelChange.Kind.TAG, LabelChange.Kind.UNTAG) and not attrs["tag"]:
            raise serializers.ValidationError({"tag": ["Give a tag."]})
        if attrs["kind"] == LabelChange.Kind.TAG:  # an older tag can be taken off, whatever it holds
            self._check_tag(attrs["tag"])
        return attrs

    def _check_tag(self, tag: str) -> None:
        try:
            TagField().run_validation(tag)
        except serializers.ValidationError as fault:
            raise serializers.ValidationError({"tag": fault.detail}) from fault


class LabelChangeOut(Shape):
    """A bulk change to labels."""

    id = serializers.IntegerField()
    kind = serializers.ChoiceField(LabelChange.Kind.values)
    labels = serializers.IntegerField(help_text="The number of labels it changed.")
    tag = serializers.CharField(allow_blank=True)
    because = serializers.CharField(allow_blank=True)
    by = PersonRef()
    at = serializers.DateTimeField()
    undone_by = PersonRef(allow_null=True)
    undone_at = serializers.DateTimeField(allow_null=True)

    def labels_of(self, change: LabelChange) -> int:
        """Only their number."""
        return len(change.label_ids)


class SaveLabelViewIn(serializers.Serializer):
    name = OneLine(max_length=60)
    filters = serializers.DictField(child=serializers.CharField(max_length=200), help_text="As in the query string.")

    def validate_filters(self, filters: dict[str, str]) -> dict[str, str]:
        """Only known filters, in normalised form."""
        if unknown := set(filters) - set(FILTERS):
            raise serializers.ValidationError(f"No filter is called {', '.join(sorted(unknown))}.")
        LabelFiltersIn(data=filters).is_valid(raise_exception=True)
        return filters


class LabelViewOut(serializers.Serializer):
    id = serializers.IntegerField()
    name = serializers.CharField()
    filters = serializers.DictField(child=serializers.CharField())


class LabelViewsOut(serializers.Serializer):
    results = LabelViewOut(many=True)


HEAD = ("label", "submitted", "labeler", "imported", "round", "task", "kind", "trace", "finish", "first error step")
HEAD_OF_FACTS = (
    *("seconds a step", "hasty", "agreement", "surprisal", "least likely step"),
    *("reviewed", "excluded", "with a machine's view", "tags"),
)


def label_table(listed: LabelList, labels: Iterable[Label], chunk: int = 1_000) -> Iterable[Sequence[Any]]:
    """Rows of a table, with the heading first. Steps count from 1, as on the pages; 0 means no first error. Seconds are
    exact to a millisecond, as stored. docs/quality.md describes all columns.
    """
    yield (*HEAD, *HEAD_OF_FACTS)
    for some in chunks_of(labels, chunk):
        yield from map(_table_row, with_facts(listed, some))


def _table_row(label: With) -> Sequence[Any]:
    facts: Facts = label.facts
    seconds = None if facts.seconds is None else round(facts.seconds, 3)
    step = None if facts.step is None else facts.step + 1
    return (
        *(label.pk, label.submitted_at.isoformat(), label.labeler.shown_name),
        *(label.labeler.kind == User.Kind.IMPORTED, label.task.round.number, label.task_id, label.task.kind),
        *(label.task.trace_id, label.finish_reason, None if label.verdict is None else label.verdict + 1),
        *(seconds, facts.hasty, facts.agreement, facts.surprisal, step, facts.reviewed, label.excluded),
        label.edited_after_reveal,
        "; ".join(sorted(one.tag for one in label.tags.all())),
    )


def with_facts(listed: LabelList, labels: Iterable[Label]) -> list[With]:
    """For ListedLabel: labels with their computed values. One query."""
    labels = list(labels)
    known = listed.facts([label.pk for label in labels]) if labels else {}
    return [_with(label, known[label.pk]) for label in labels if label.pk in known]


def _with(label: Label, facts: Facts) -> With:
    return With(
        label,
        facts=facts,
        seconds_a_step=facts.seconds,
        hasty=facts.hasty,
        agreement=facts.agreement,
        surprisal=facts.surprisal,
        least_likely_step=facts.step,
        reviewed=facts.reviewed,
    )


def facets_out(found: dict[str, Any]) -> dict[str, Any]:
    """Facets by name. Each value has a readable name."""
    named = {
        "labeler": {str(pk): person.shown_name for pk, person in found["people"].items()},
        "round": {str(pk): one.numbered_name for pk, one in found["rounds"].items()},
    }
    facets = [
        {
            "name": facet,
            "values": [
                {"value": value, "name": named.get(facet, {}).get(value, ""), "labels": count}
                for value, count in sorted(counts.items(), key=lambda one: (-one[1], one[0]))
            ],
        }
        for facet, counts in found["facets"].items()
    ]
    return {**found, "facets": facets}
