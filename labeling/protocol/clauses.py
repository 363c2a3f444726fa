"""Clauses of guidelines: paragraphs that begin with a number, so that a label can cite them. Pure."""

import re
from typing import NamedTuple

MOST_CLAUSES = 500
LONGEST_SHOWN = 160  # characters of a clause's text
NUMBER = r"[0-9]{1,3}(?:\.[0-9]{1,3}){0,3}"
CITED = re.compile(rf"§{NUMBER}")
# `## 2.3 Must follow`, `§2.3 Must follow`, `- §2.3: Must follow`. Bare numbers count only in headings, as lists use
# them too.
BEGINS = re.compile(
    rf"^[ \t]*(?:#{{1,6}}[ \t]+§?|(?:[-*+][ \t]+)?[*_]{{0,3}}§)(?P<number>{NUMBER})[.:)]?[*_]{{0,3}}"
    r"(?P<text>(?:[ \t][^\n]*)?)$",
    re.MULTILINE,
)


class Clause(NamedTuple):
    """A numbered place in guidelines: `§2.3` and the text it begins with."""

    number: str
    text: str


def clauses_of(body: str) -> list[Clause]:
    """Return the clauses of guidelines in order; if a number occurs twice, only the first."""
    found: dict[str, Clause] = {}
    for mark in BEGINS.finditer(body):
        number = f"§{mark['number']}"
        text = mark["text"].strip().removesuffix("**")
        found.setdefault(number, Clause(number, text[:LONGEST_SHOWN]))
    return list(found.values())[:MOST_CLAUSES]
