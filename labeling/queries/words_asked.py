"""What is asked for in a search: of the words of steps by Postgres' full text, of the text of problems by ILIKE, which
an index of trigrams answers (`ProblemLetters`); problems that no worker has put there yet are read. A problem has
what is asked for where its text holds each word and phrase and nothing that a minus leaves out, or all of it as it was
typed.
"""

import re
from typing import Any, NamedTuple

from labeling.queries.sql_slots import fill

TOKEN = re.compile(r'(?P<minus>-?)(?:"(?P<phrase>[^"]+)"|(?P<word>\S+))')
QUOTES = str.maketrans("“”„", '"""')
# Of the ranges that wait each is read by its ids: there are few, and the planner knows of none. `project_id + 0` is in
# no index.
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
    """Words and phrases that a text has to hold, and those that it must not."""

    wanted: list[str]
    unwanted: list[str]


def words_of(text: str) -> Words:
    """What was typed, parted at white space but for what stands in quotes; each once."""
    found = Words([], [])
    for token in TOKEN.finditer(_quoted(text)):
        word = " ".join((token["phrase"] or token["word"].strip('"')).split())
        into = found.unwanted if token["minus"] else found.wanted
        if word and word not in into:
            into.append(word)
    return found


def problems_with(text: str) -> tuple[str, dict[str, Any]]:
    """A query of the ids of problems of %(project)s that have what is asked for, or that it is the id of; and its
    values but for the project."""
    words = words_of(text)
    values: dict[str, Any] = {"names": [text, text.upper(), text.lower()], "as_typed": _pattern(text)}
    has = []
    for number, word in enumerate(words.wanted):
        has.append(f"its.text ILIKE %(has_{number})s")
        values[f"has_{number}"] = _pattern(word)
    for number, word in enumerate(words.unwanted if has else ()):  # with nothing to find, all others would be found
        has.append(f"its.text NOT ILIKE %(lacks_{number})s")
        values[f"lacks_{number}"] = _pattern(word)
    typed = "its.text ILIKE %(as_typed)s"
    if not has or words == ([text], []):
        return fill(PROBLEMS, has=typed), values
    plain = not words.unwanted and '"' not in _quoted(text)  # then who has all of it has each word
    both = " AND ".join(has)
    return fill(PROBLEMS, has=f"({both})" if plain else f"({both}) OR {typed}"), values


def asked_of_steps(text: str) -> str:
    """The same for `websearch_to_tsquery`, which knows straight quotes alone."""
    return _quoted(text)


def _quoted(text: str) -> str:
    return text.translate(QUOTES)


def _pattern(text: str) -> str:
    """`_` and `%` are letters."""
    return "%" + text.replace("\\", "\\\\").replace("%", "\\%").replace("_", "\\_") + "%"
