"""Checks the parts of an answer that the client relies on against the API's schema: any server may have answered."""

import re
from collections.abc import Iterable, Mapping
from itertools import islice
from typing import Any, NamedTuple, TypeVar

from stepmark.errors import NotUnderstood

Row = TypeVar("Row")
SHA256 = re.compile("[0-9a-f]{64}")
LONGEST_CURSOR = 4096  # characters; the server's have at most 2,000
# Per answer: each value takes 60 bytes or more in memory, where the answer has two. A run of 64 MiB has 4 million.
MOST_VALUES = 8_000_000
TEXT = re.compile(rb'"[^"\\]*+(?:\\.[^"\\]*+)*+"?', re.DOTALL)  # or an unended one: else each quote restarts a scan
SHOWN = 100  # characters of an invalid value
MOST_ROWS = 100_000  # of a list that is kept as a whole: projects, rounds, releases


class Page(NamedTuple):
    """Rows of a list, and the cursor of the next page."""

    rows: list[Any]
    following: str | None


def has_many_values(text: bytes) -> bool:
    """Return whether a JSON text has more than MOST_VALUES values, by the signs that begin or separate them. Signs
    within its strings do not count; strings are only looked for if that can make the difference.
    """
    if _signs_in(text) <= MOST_VALUES:
        return False
    signs = end = 0
    for texts, found in enumerate(TEXT.finditer(text)):
        signs += _signs_in(text[end : found.start()])
        end = found.end()
        if signs > MOST_VALUES or texts > 2 * MOST_VALUES:  # each is a value, or the name of one
            return True
    return signs + _signs_in(text[end:]) > MOST_VALUES


def count_in(answer: Mapping[str, Any], name: str, address: str) -> int:
    """Return a whole number, 0 or more. Raises NotUnderstood."""
    found = answer.get(name)
    if not isinstance(found, int) or isinstance(found, bool) or found < 0:
        raise NotUnderstood(address, f"with {_short(found)} as {name}, which is not a count")
    return found


def sha256_in(answer: Mapping[str, Any], name: str, address: str) -> str:
    """Return the hash that a file is checked against; also part of a file name on disk. Raises NotUnderstood."""
    found = answer.get(name)
    if not isinstance(found, str) or not SHA256.fullmatch(found):
        raise NotUnderstood(address, f"with {_short(found)} as {name}, which is not a SHA-256")
    return found


def page_in(answer: Any, address: str) -> Page:
    """Return a page of the list at `address`. Raises NotUnderstood."""
    said = answer if isinstance(answer, dict) else {}
    rows, following = said.get("results"), said.get("next")
    if not isinstance(rows, list) or not (following is None or _is_cursor(following)):
        raise NotUnderstood(address, "with something other than a page of a list")
    return Page(rows, following or None)


def _signs_in(text: bytes) -> int:
    return text.count(b",") + text.count(b"[") + text.count(b"{")


def _is_cursor(value: Any) -> bool:
    return isinstance(value, str) and len(value) <= LONGEST_CURSOR


def kept(rows: Iterable[Row], address: str) -> list[Row]:
    """Return all rows of the list at `address`. Raises NotUnderstood if there are more than an account could have."""
    found = list(islice(rows, MOST_ROWS + 1))
    if len(found) > MOST_ROWS:
        raise NotUnderstood(address, f"with a list of more than {MOST_ROWS:,} rows")
    return found


def _short(value: Any) -> str:
    text = repr(value)
    return text if len(text) <= SHOWN else f"{text[:SHOWN]}…"
