"""The section of docs/benchmarks.md about the memory of an idle installation."""

from typing import Any

from bench.markdown import met, table

MOST = 400  # MB
HOW = """\
`python -m bench.idle_memory`, not part of `make bench`: the demo without its PRM worker and generator
(`python -m annotation_app.local demo --no-models`), after a labeler has logged in and taken a task, and then
{seconds:.0f} s without any activity. Memory is given as proportional shares (PSS): a page that several processes
have is divided among them. {others} other processes ran the same Python at the same time{so}."""
LESSENED = " and shared pages of libraries; alone, the same processes would have larger shares"


def aims(found: dict[str, Any]) -> list[tuple[str, ...]]:
    """Return the aim for all processes together."""
    total = sum(found["mb"].values())
    return [("memory of an idle demo without models", f"<= {MOST} MB", f"{total:.0f} MB", met(total <= MOST))]


def body(found: dict[str, Any]) -> list[str]:
    """Return the table by process."""
    rows = [(name, f"{share:.0f}") for name, share in found["mb"].items()]
    rows.append(("all", f"{sum(found['mb'].values()):.0f}"))
    others = found["others"]
    how = HOW.format(seconds=found["idle_seconds"], others=others or "No", so=LESSENED if others else "")
    return [how, "", *table(("processes", "MB"), rows)]
