"""Search terms: words in steps are searched with Postgres' full text search, problem texts with ILIKE.

An index of trigrams answers ILIKE (`ProblemLetters`); problems that no worker has added to it yet are read directly. A
problem matches if its text holds each word and phrase and nothing that a minus excludes, or the search as it was typed.
"""

import re
from typing import Any, NamedTuple

from labeling.queries.sql_slots import fill

TOKEN = re.compile(r'(?P<minus>-?)(?:"(?P<phrase>[^"]+)"|(?P<word>\S+))')
QUOTES = str.maketrans("“”„", '"""')
# Each waiting range is read by its ids: there are few, and the planner has no statistics about them. No index has
# `project_id + 0`.
PROBLEMS = """
    SELECT its.problem_id AS id FROM labeling_problemletters AS its WHERE its.project_id = %(project)s AND ({has})
    UNION ALL SELECT unread.id FROM labeling_problemswithoutletters AS waiting CROSS JOIN LATERAL (
        SELECT its.id FROM labeling_problem AS its WHERE its.project_id + 0 = waiting.project_id
            AND its.id BETWEEN waiting.lowest AND waiting.highest AND ({has}) OFFSET 0) AS unread
    WHERE waiting.project_id = %(project)s
    UNION ALL SELECT named.id FROM labeling_problem AS named
    WHERE named.project_id = %(project)s AND named.external_id = ANY(%(names)s)
"""


class Words(NamedTuple):
    """Words and phrases that a text must contain, and those that it must not."""

    wanted: list[str]
    unwanted: list[str]


def words_of(text: str) -> Words:
    """Split what was typed at white space, except within quotes; each word and phrase once."""
    found = Words([], [])
    for token in TOKEN.finditer(_quoted(text)):
        word = " ".join((token["phrase"] or token["word"].strip('"')).split())
        into = found.unwanted if token["minus"] else found.wanted
        if word and word not in into:
            into.append(word)
    return found


def problems_with(text: str) -> tuple[str, dict[str, Any]]:
    """Return a query for the ids of problems of %(project)s that match the text or have it as their id, and all its
    other values.
    """
    words = words_of(text)
    values: dict[str, Any] = {"names": [text, text.upper(), text.lower()], "as_typed": _pattern(text)}
    has = []
    for number, word in enumerate(words.wanted):
        has.append(f"its.text ILIKE %(has_{number})s")
        values[f"has_{number}"] = _pattern(word)
    for number, word in enumerate(words.unwanted if has else ()):  # alone, these would find all others
        has.append(f"its.text NOT ILIKE %(lacks_{number})s")
        values[f"lacks_{number}"] = _pattern(word)
    typed = "its.text ILIKE %(as_typed)s"
    if not has or words == ([text], []):
        return fill(PROBLEMS, has=typed), values
    plain = not words.unwanted and '"' not in _quoted(text)  # then a text that has all of it has each word
    both = " AND ".join(has)
    return fill(PROBLEMS, has=f"({both})" if plain else f"({both}) OR {typed}"), values


def asked_of_steps(text: str) -> str:
    """Return the same for `websearch_to_tsquery`, which knows only straight quotes."""
    return _quoted(text)


def _quoted(text: str) -> str:
    return text.translate(QUOTES)


def _pattern(text: str) -> str:
    """Return an ILIKE pattern in which `_` and `%` stand for themselves."""
    return "%" + text.replace("\\", "\\\\").replace("%", "\\%").replace("_", "\\_") + "%"
