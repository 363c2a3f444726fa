"""Pieces of the pages that are written from results."""

from collections.abc import Sequence
from pathlib import Path


def met(whether: bool) -> str:
    """In words, not in colour."""
    return "met" if whether else "**not met**"


def table(head: tuple[str, ...], rows: Sequence[tuple[str, ...]]) -> list[str]:
    """A Markdown table, figures to the right."""
    marks = ["---"] + ["---:"] * (len(head) - 1)
    return [f"| {' | '.join(cells)} |" for cells in (head, marks, *rows)]


def put_between(page: Path, begin: str, end: str, lines: Sequence[str]) -> None:
    """Write lines between two marks of a page written by hand otherwise. Raises ValueError without the marks."""
    before, found, rest = page.read_text().partition(begin)
    _, also, after = rest.partition(end)
    if not (found and also):
        raise ValueError(f"{page.name} lacks the marks {begin} and {end}.")
    page.write_text(before + "\n".join([begin, *lines, end]) + after)
