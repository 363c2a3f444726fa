"""What a SCIM client asks of a list: by the address of a GET, or in the body of a POST to /.search."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from labeling.formats.scim import MESSAGES, ScimFault, as_list, folded, narrowed

SEARCH = f"{MESSAGES}SearchRequest"


@dataclass(frozen=True)
class Asked:
    """A page of what a filter finds, with some attributes alone or without some."""

    filter: str = ""
    start: int = 1
    count: int = 100
    attributes: str = ""
    excluded: str = ""

    def told(self, whole: dict[str, Any]) -> dict[str, Any]:
        """A resource with what of it was asked for."""
        return narrowed(whole, self.attributes, self.excluded)

    def wants(self, name: str) -> bool:
        """Whether an attribute that costs a query of its own is to be told."""
        return name in self.told({name: True})


def read_parameters(given: Mapping[str, str], most: int) -> Asked:
    """Of a GET. Raises ScimFault."""
    numbers = {name: given.get(name, "") or default for name, default in (("startIndex", "1"), ("count", "100"))}
    start, count = (_whole(name, text) for name, text in numbers.items())
    attributes, excluded = given.get("attributes", ""), given.get("excludedAttributes", "")
    return Asked(given.get("filter", ""), max(1, start), max(0, min(most, count)), attributes, excluded)


def read_search(body: Any, most: int) -> Asked:
    """Of a POST (RFC 7644, 3.4.3). Raises ScimFault."""
    given = folded(body)
    if SEARCH not in as_list(given.get("schemas")):
        raise ScimFault(400, f"schemas must include {SEARCH}.", "invalidSyntax")
    if not isinstance(given.get("filter") or "", str):
        raise ScimFault(400, "filter must be a string.", "invalidFilter")
    start, count = given.get("startindex", 1), given.get("count", 100)
    if any(isinstance(number, bool) or not isinstance(number, int) for number in (start, count)):
        raise ScimFault(400, "startIndex and count must be whole numbers.", "invalidValue")
    attributes, excluded = (
        ",".join(map(str, as_list(given.get(name)))) for name in ("attributes", "excludedattributes")
    )
    return Asked(given.get("filter") or "", max(1, min(start, 2**31)), max(0, min(most, count)), attributes, excluded)


def _whole(name: str, text: str) -> int:
    if not text.lstrip("-").isascii() or not text.lstrip("-").isdigit() or len(text) > 9:
        raise ScimFault(400, f"{name} must be a whole number.", "invalidValue")
    return int(text)
