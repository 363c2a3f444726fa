"""How a refusal lists unknown keys and parameters, and which query parameters a view knows."""

from difflib import get_close_matches
from typing import Any

from drf_spectacular.utils import OpenApiParameter
from rest_framework.exceptions import ValidationError
from rest_framework.request import Request

LARGEST_ID = 2**63 - 1  # the largest id that a column can hold
MOST_NAMED = 20  # unknown keys that a refusal names; each is compared with all known fields
LONGEST_NAMED = 60  # characters shown of one name
AND_MORE = "…"
ELSEWHERE = {"search": "q", "query": "q", "sort": "order", "page_size": "limit", "per_page": "limit", "page": "cursor"}


def refuse_unknown_parameters(request: Request) -> None:
    """Refuse query parameters that the view's schema does not have: ignoring a misspelt filter would return the whole
    list. Raises ValidationError with the closest known parameter, or with all of them.
    """
    view = request.parser_context["view"]
    if type(view) not in _PARAMETERS:
        _PARAMETERS[type(view)] = _parameters_of(view)
    known = _PARAMETERS[type(view)]
    unknown = [name for name in request.query_params if name not in known]
    faults: dict[str, Any] = {cut(name): [_no_such_parameter(name, known)] for name in unknown[:MOST_NAMED]}
    if len(unknown) > MOST_NAMED:
        faults[AND_MORE] = [f"There are {len(unknown):,} such parameters. The first {MOST_NAMED} are listed."]
    if faults:
        raise ValidationError(faults)


_PARAMETERS: dict[type, tuple[str, ...]] = {}  # one entry per view; they never change


def _parameters_of(view: Any) -> tuple[str, ...]:
    """The parameters that `extend_schema` declares for the view: by name, or as the fields of a serializer."""
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
    """The name, shortened if it is long."""
    return key if len(key) <= LONGEST_NAMED else f"{key[:LONGEST_NAMED]}{AND_MORE}"
