"""docs/growth.md: the cost of ten million and a billion traces, from measurements: `python -m bench.growth`.

Every figure is a measured unit cost (bench/results/) times a number; the page states the assumptions.
"""

import json
from typing import Any

from bench.markdown import put_between, table
from bench.report import PAGE as BENCHMARKS
from bench.report import RESULTS

PAGE = BENCHMARKS.parent / "growth.md"
TRACES = (10_000_000, 1_000_000_000)
STEPS = 7  # per trace of bench.fill
LABELED = 0.01  # of all traces; PRM800K labeled 75,000 of 1.1 million samples
LABELERS = (100, 1_000, 10_000)
SECONDS_A_LABEL = 120  # per label while labeling: PRM800K's traces took minutes
PER_PROBLEM = 10  # traces per problem, as bench.fill makes them
DAY = 86_400
# Changes that touch no row: they take the same time at any size.
CATALOGUE = ("a column that may be null, or has a default in the database", "a rule, not checked yet (NOT VALID)")


def result(name: str) -> dict[str, Any]:
    """Return the stored result with this name."""
    return dict(json.loads((RESULTS / f"{name}.json").read_text()))


def rows_table(costs: dict[str, Any]) -> list[str]:
    """Return rows and bytes by table."""
    a_trace = {"problem": 1 / PER_PROBLEM, "trace": 1, "score": 1}
    a_trace |= {"task": LABELED, "label": LABELED, "steplabel": LABELED * STEPS}
    lines, sums = [], [0.0] * len(TRACES)
    for name, share in a_trace.items():
        cost = costs["rows"][name]
        each = cost["table"] + cost["indexes"]
        cells = [name, f"{cost['table']:.0f} + {cost['indexes']:.0f}"]
        for place, traces in enumerate(TRACES):
            sums[place] += traces * share * each
            cells += [counted(traces * share), size(traces * share * each)]
        lines.append(tuple(cells))
    total = tuple(cell for summed in sums for cell in ("", size(summed)))
    lines.append(("all", "", *total))
    head = ("table", "bytes a row, table + indexes")
    return table((*head, *(text for traces in TRACES for text in (f"rows, {counted(traces)} traces", "size"))), lines)


def work_table() -> list[str]:
    """Return the time of one pass over all traces."""
    imports, grading, scoring, selection = (result(name) for name in ("import", "grading", "prm_scoring", "selection"))
    imported = next(one for one in imports["imports"] if one["file"] == "generated")["rows_per_second"]
    mixed = next(one for one in grading["runs"] if "bomb" in one["answers"])["cpu_ms_per_answer"] / 1000
    scored = scoring["sets"]["sampled"]["traces_per_cpu_second"]["ours bfloat16"]
    chosen = max(run["seconds"] for run in selection["runs"]["per problem"]) / selection["pool"]["traces"]
    works = (
        ("import, one process", "import.json", 1 / imported),
        ("grading, a core", "grading.json", mixed),
        ("scoring by the demo's PRM, a core", "prm_scoring.json", 1 / scored),
        ("selection, per problem, the first look", "selection.json", chosen),
    )
    lines = [
        (name, f"`{file}`", duration(each), *(duration(traces * each) for traces in TRACES))
        for name, file, each in works
    ]
    return table(("work", "measured in", "each", *(f"{counted(traces)} traces" for traces in TRACES)), lines)


def people_table() -> list[str]:
    """Return requests and processors for so many people labeling at once."""
    runs = [run for run in result("http")["runs"] if run["as_page"] and run["annotators"] == 10]
    worst = max(runs, key=lambda run: sum(run["cpu_ms_per_label"].values()))["cpu_ms_per_label"]
    lines = []
    for people in LABELERS:
        rate = people / SECONDS_A_LABEL
        web, database = (rate * worst[part] / 1000 for part in ("web", "postgres"))
        lines.append((counted(people), f"{rate:.1f}", f"{web:.2f}", f"{database:.2f}", counted(rate * DAY)))
    head = ("people who label at once", "labels/s", "cores of web", "cores of PostgreSQL", "labels in 24 h")
    return table(head, lines)


def locks_table(costs: dict[str, Any]) -> list[str]:
    """Return how long each kind of migration makes a writer wait."""
    factor = TRACES[0] / costs["tasks"]
    lines = [
        (
            one["kind"],
            f"{one['seconds']:.2f} s",
            f"{one['longest_wait'] * 1000:.0f} ms",
            "the same" if one["kind"] in CATALOGUE else duration(one["seconds"] * factor),
        )
        for one in costs["migrations"]
    ]
    head = ("kind", "took", "longest wait of a writer", f"would take with {counted(TRACES[0])} labels")
    return table(head, lines)


def counted(number: float) -> str:
    """Format a number, as in `10 million`, `0.7 million` or `1 billion`."""
    for unit, word in ((1e9, " billion"), (1e6, " million")):
        if number >= unit:
            return f"{number / unit:.3g}{word}"
    return f"{number:,.0f}"


def size(bytes_: float) -> str:
    """Format bytes in decimal units."""
    for unit, word in ((1e12, "TB"), (1e9, "GB")):
        if bytes_ >= unit:
            return f"{bytes_ / unit:.1f} {word}"
    return f"{bytes_ / 1e6:.1f} MB"


def duration(seconds: float) -> str:
    """Format a duration in the most natural unit."""
    for unit, word in ((365.25 * DAY, "years"), (DAY, "days"), (3600, "h"), (60, "min"), (1, "s"), (1e-3, "ms")):
        if seconds >= unit:
            return f"{seconds / unit:.3g} {word}"
    return f"{seconds * 1e6:.2g} µs"


def write() -> None:
    """Write the page's tables between their markers."""
    costs = result("table_costs")
    tables = {"rows": rows_table(costs), "work": work_table(), "people": people_table(), "locks": locks_table(costs)}
    for name, lines in tables.items():
        put_between(PAGE, f"<!-- {name}: bench/growth.py -->", f"<!-- end of {name} -->", ["", *lines, ""])
    about = costs["machine"]
    said = f"Labels in the table: {costs['tasks']:,}; {about['cores']} cores, load before {about['load_before']}."
    put_between(PAGE, "<!-- size: bench/growth.py -->", "<!-- end of size -->", [said])


if __name__ == "__main__":
    write()
