"""What a refusal names of keys and parameters that nobody knows, and which parameters of an address a view does."""

from difflib import get_close_matches
from typing import Any

from drf_spectacular.utils import OpenApiParameter
from rest_framework.exceptions import ValidationError
from rest_framework.request import Request

LARGEST_ID = 2**63 - 1  # that a column holds: above it no row can be
MOST_NAMED = 20  # keys that no serializer knows, which a refusal names; each is looked for among all fields
LONGEST_NAMED = 60  # characters of one
AND_MORE = "…"
ELSEWHERE = {"search": "q", "query": "q", "sort": "order", "page_size": "limit", "per_page": "limit", "page": "cursor"}


def refuse_unknown_parameters(request: Request) -> None:
    """A parameter of the address that the view's schema does not name would be passed over, and a list that somebody
    meant to narrow would be whole. Raises ValidationError with the near one, or with those that there are.
    """
    view = request.parser_context["view"]
    if type(view) not in _PARAMETERS:
        _PARAMETERS[type(view)] = _parameters_of(view)
    known = _PARAMETERS[type(view)]
    unknown = [name for name in request.query_params if name not in known]
    faults: dict[str, Any] = {cut(name): [_no_such_parameter(name, known)] for name in unknown[:MOST_NAMED]}
    if len(unknown) > MOST_NAMED:
        faults[AND_MORE] = [f"There are {len(unknown):,} such parameters, of which {MOST_NAMED} are named."]
    if faults:
        raise ValidationError(faults)


_PARAMETERS: dict[type, tuple[str, ...]] = {}  # by view; they never change


def _parameters_of(view: Any) -> tuple[str, ...]:
    """Those that `extend_schema` declares for the view: parameters by name, and serializers by their fields."""
    schema = type(view).kwargs["schema"]()
    schema.method, schema.path, schema.view = "GET", "", view
    names: list[str] = []
    for one in schema.get_override_parameters():
        names += [one.name] if isinstance(one, OpenApiParameter) else list(one().fields)
    return tuple(names)


def _no_such_parameter(name: str, known: tuple[str, ...]) -> str:
    close = [ELSEWHERE[name]] if ELSEWHERE.get(name) in known else []  # as other services call it
    close = close or (get_close_matches(name, known, 1) if len(name) <= LONGEST_NAMED else [])
    said = f"Did you mean {close[0]}?" if close else f"There are {', '.join(known)}."
    return f"There is no such parameter. {said}"


def cut(key: str) -> str:
    """Not at length."""
    return key if len(key) <= LONGEST_NAMED else f"{key[:LONGEST_NAMED]}{AND_MORE}"
