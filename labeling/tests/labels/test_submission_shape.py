"""The shape of a submission: the quick check of plain values accepts nothing that the thorough one would refuse."""

from typing import Any

from hypothesis import example, given
from hypothesis import strategies as st
from rest_framework import serializers
from rest_framework.exceptions import ValidationError

from labeling.api.serializers.labels import RatingsField, SubmitIn
from labeling.api.serializers.runs import MAX_STEPS

ODD: st.SearchStrategy[Any] = st.sampled_from(
    [None, True, False, 1.0, 1.5, "1", "-1", "", "x", [], {}, 1 << 53, (1 << 53) + 1, -1, MAX_STEPS + 1]
)
MOMENT = ODD | st.integers(0, 10)
SPAN = st.fixed_dictionaries({}, optional={"step": MOMENT, "start": MOMENT, "end": MOMENT, "other": ODD}) | ODD
spans_field = SubmitIn().fields["spans"]
ratings_field = RatingsField()


def thorough(field: Any, kind: Any, sent: Any) -> Any:
    """Return the result of the REST framework's own list."""
    try:
        return kind.to_internal_value(field, sent)
    except ValidationError as fault:
        return fault.detail


def quick(field: Any, sent: Any) -> Any:
    """Return the result of ours."""
    try:
        return field.to_internal_value(sent)
    except ValidationError as fault:
        return fault.detail


@given(st.lists(SPAN, max_size=4) | ODD)
@example([{"step": 0, "start": 1, "end": 2}, {"start": 1, "end": 2}])
def test_spans_are_read_and_refused_as_one_by_one(sent: Any) -> None:
    assert quick(spans_field, sent) == thorough(spans_field, serializers.ListSerializer, sent)


@given(st.lists(ODD | st.integers(-2, 2), max_size=4) | ODD)
@example([1, 0, -1, None])
def test_ratings_are_read_and_refused_as_one_by_one(sent: Any) -> None:
    read, expected = quick(ratings_field, sent), thorough(ratings_field, serializers.ListField, sent)
    assert read == expected
    assert list(map(type, read)) == list(map(type, expected))  # True is not 1
