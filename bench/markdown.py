"""Pieces of the pages that are written from results."""

from collections.abc import Sequence


def met(whether: bool) -> str:
    """In words, not in colour."""
    return "met" if whether else "**not met**"


def table(head: tuple[str, ...], rows: Sequence[tuple[str, ...]]) -> list[str]:
    """A Markdown table, figures to the right."""
    marks = ["---"] + ["---:"] * (len(head) - 1)
    return [f"| {' | '.join(cells)} |" for cells in (head, marks, *rows)]
