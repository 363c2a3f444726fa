"""A SCIM client's request for a list: in the address of a GET, or in the body of a POST to /.search."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from labeling.formats.scim import MESSAGES, ScimFault, as_list, folded, narrowed

SEARCH = f"{MESSAGES}SearchRequest"


@dataclass(frozen=True)
class Asked:
    """A page of a filter's results, with only some attributes or without some."""

    filter: str = ""
    start: int = 1
    count: int = 100
    attributes: str = ""
    excluded: str = ""

    def told(self, whole: dict[str, Any]) -> dict[str, Any]:
        """Return the requested parts of a resource."""
        return narrowed(whole, self.attributes, self.excluded)

    def wants(self, name: str) -> bool:
        """Return whether an attribute that costs a separate query is requested."""
        return name in self.told({name: True})


def read_parameters(given: Mapping[str, str], most: int) -> Asked:
    """Read the parameters of a GET. Raises ScimFault."""
    numbers = {name: given.get(name, "") or default for name, default in (("startIndex", "1"), ("count", "100"))}
    start, count = (_whole(name, text) for name, text in numbers.items())
    attributes, excluded = given.get("attributes", ""), given.get("excludedAttributes", "")
    return Asked(given.get("filter", ""), max(1, start), max(0, min(most, count)), attributes, excluded)


def read_search(body: Any, most: int) -> Asked:
    """Read the body of a POST (RFC 7644, 3.4.3). Raises ScimFault."""
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
