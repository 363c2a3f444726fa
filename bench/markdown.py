"""Parts of the pages that are written from results."""

from collections.abc import Sequence
from pathlib import Path


def met(whether: bool) -> str:
    """Say whether an aim is met, in words instead of colour."""
    return "met" if whether else "**not met**"


def table(head: tuple[str, ...], rows: Sequence[tuple[str, ...]]) -> list[str]:
    """Return a Markdown table with right-aligned figures."""
    marks = ["---"] + ["---:"] * (len(head) - 1)
    return [f"| {' | '.join(cells)} |" for cells in (head, marks, *rows)]


def put_between(page: Path, begin: str, end: str, lines: Sequence[str]) -> None:
    """Write lines between two markers of an otherwise handwritten page. Raises ValueError without the markers."""
    before, found, rest = page.read_text().partition(begin)
    _, also, after = rest.partition(end)
    if not (found and also):
        raise ValueError(f"{page.name} lacks the marks {begin} and {end}.")
    page.write_text(before + "\n".join([begin, *lines, end]) + after)
