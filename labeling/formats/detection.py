"""Which import format a file has, judged by its first rows; and the parser of each."""

from collections.abc import Callable
from typing import Any

from labeling.formats import neutral, prm800k, problems, processbench
from labeling.formats.faults import Fault
from labeling.formats.records import ParsedRow

Parser = Callable[[dict[str, Any], int], tuple[ParsedRow | None, list[Fault]]]
PARSERS: dict[str, Parser] = {
    "neutral": neutral.parse,
    "prm800k": prm800k.parse,
    "processbench": processbench.parse,
    "problems": problems.parse,
}


def format_of(row: dict[str, Any]) -> str:
    """The format whose marks a row bears: a question with a label, steps with the number of the first wrong one, steps,
    or else a problem alone.
    """
    if "question" in row and "label" in row and isinstance(row["label"], dict):
        return "prm800k"
    if processbench.is_one(row):
        return "processbench"
    return "neutral" if "steps" in row else "problems"
