"""An answer is rendered by the serializer that describes it in the API's schema: one declaration is both."""

from functools import cache
from typing import Any

from rest_framework.response import Response
from rest_framework.serializers import Serializer


class Shape(Serializer):
    """A serializer of answers. What a row has under no name is worked out by `<field>_of(row)`."""

    def get_fields(self) -> dict[str, Any]:
        """The declared fields, each reading its row, or what its method makes of it."""
        fields = super().get_fields()
        for name, field in fields.items():
            worked_out = getattr(self, f"{name}_of", None)
            if worked_out is not None:
                field.get_attribute = worked_out  # type: ignore[method-assign]  # of this copy of the field alone
        return fields


class With:
    """A `row`, and beside it what was read or made for it: `With(round_, counts=...).counts`."""

    def __init__(self, row: Any, **beside: Any) -> None:
        self.__dict__.update(beside, row=row)

    def __getattr__(self, name: str) -> Any:
        """The row's own. Raises AttributeError."""
        return getattr(self.__dict__["row"], name)


def answer(shape: type[Serializer], value: Any, status: int = 200) -> Response:
    """`value` (a row, or a dict of what `shape` names) as `shape` declares it."""
    return Response(rendered(shape, value), status=status)


def rendered(shape: type[Serializer], value: Any) -> dict[str, Any]:
    """As `shape(value).data`, but with one serializer for all answers: making one copies every field it declares."""
    return _renderer(shape).to_representation(value)


@cache
def _renderer(shape: type[Serializer]) -> Serializer:
    return shape()
