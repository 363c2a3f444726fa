"""What of an answer is relied on, read as the API's schema has it: who answers may be anything."""

import re
from collections.abc import Iterable, Mapping
from itertools import islice
from typing import Any, NamedTuple, TypeVar

from stepmark.errors import NotUnderstood

Row = TypeVar("Row")
SHA256 = re.compile("[0-9a-f]{64}")
LONGEST_CURSOR = 4096  # characters; the server's have 2,000 at most
SHOWN = 100  # characters of a value that is none
MOST_ROWS = 100_000  # of a list that is kept whole: projects, rounds, releases


class Page(NamedTuple):
    """Rows of a list, and where it goes on."""

    rows: list[Any]
    following: str | None


def count_in(answer: Mapping[str, Any], name: str, address: str) -> int:
    """A whole number, 0 or more. Raises NotUnderstood."""
    found = answer.get(name)
    if not isinstance(found, int) or isinstance(found, bool) or found < 0:
        raise NotUnderstood(address, f"with {_short(found)} as {name}, which is no count")
    return found


def sha256_in(answer: Mapping[str, Any], name: str, address: str) -> str:
    """What a file is held to; part of a name on the disk, too. Raises NotUnderstood."""
    found = answer.get(name)
    if not isinstance(found, str) or not SHA256.fullmatch(found):
        raise NotUnderstood(address, f"with {_short(found)} as {name}, which is no SHA-256")
    return found


def page_in(answer: Any, address: str) -> Page:
    """A page of the list at `address`. Raises NotUnderstood."""
    said = answer if isinstance(answer, dict) else {}
    rows, following = said.get("results"), said.get("next")
    if not isinstance(rows, list) or not (following is None or _is_cursor(following)):
        raise NotUnderstood(address, "with something other than a page of a list")
    return Page(rows, following or None)


def _is_cursor(value: Any) -> bool:
    return isinstance(value, str) and len(value) <= LONGEST_CURSOR


def kept(rows: Iterable[Row], address: str) -> list[Row]:
    """All rows of the list at `address`. Raises NotUnderstood where they are more than an account could have."""
    found = list(islice(rows, MOST_ROWS + 1))
    if len(found) > MOST_ROWS:
        raise NotUnderstood(address, f"with a list of more than {MOST_ROWS:,} rows")
    return found


def _short(value: Any) -> str:
    text = repr(value)
    return text if len(text) <= SHOWN else f"{text[:SHOWN]}…"
