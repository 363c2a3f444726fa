"""The section of docs/benchmarks.md about `bench.against_version`."""

from typing import Any

from bench.markdown import met, table

HEAD = "HEAD"
TASKS = 10_000
ANNOTATORS = 10
WORSE = 1.05  # the aim: the median ratio is at most this
HOW = """\
`python -m bench.against_version REV …` runs each version as its own `make demo` starts it, with today's packages. All
versions run at the same time on one machine and take turns, {turns} of them. A figure is this version's time divided by
the older one's in the same turn: the median, with the least and the greatest.

{tasks:,} tasks wait in the queue, and {annotators} annotators claim and submit without a pause. {traces:,} neutral
traces are imported, {labels:,} labels of PRM800K are exported as `prm800k`, and {scored} traces are scored on one
thread. *CPU* of a label is that of web and Postgres. *CPU* of an import or an export is that of its process and
Postgres. It is more reliable than time where the machine had other work."""
MEASURES = {
    "label_clock": "claim and submit, time per label",
    "label_cpu": "claim and submit, CPU",
    "claim_p50": "claim, median",
    "submit_p50": "submit, median",
    "import_clock": "import, time",
    "import_cpu": "import, CPU",
    "export_clock": "export, time",
    "export_cpu": "export, CPU",
    "scoring_cpu": "PRM scoring, CPU",
}


def aims(found: dict[str, Any]) -> list[tuple[str, ...]]:
    """Return the aim: no kind of work takes over 5 % more CPU time than in any of the versions."""
    rows: list[tuple[str, ...]] = []
    for version in found["versions"]:
        medians = {name: ratio["median"] for name, ratio in version["ratios"].items() if name.endswith("_cpu")}
        worst = max(medians, key=lambda name: medians[name])
        what = f"CPU against version {version['version']}, the worst kind of work ({MEASURES[worst]})"
        rows.append((what, f"<= {WORSE:.2f} x", f"{medians[worst]:.2f} x", met(medians[worst] <= WORSE)))
    return rows


def body(found: dict[str, Any]) -> list[str]:
    """Return the table of ratios."""
    turns = len(found["turns"][HEAD])
    how = HOW.format(
        turns=turns, tasks=TASKS, annotators=ANNOTATORS, **{n: found[n] for n in ("traces", "labels", "scored")}
    )
    head = ("what", *(f"against {one['version']} ({one['revision'][:8]})" for one in found["versions"]))
    rows = [
        (words, *(cell(version["ratios"][name]) for version in found["versions"]))
        for name, words in MEASURES.items()
        if name in found["versions"][0]["ratios"]
    ]
    return [how, "", *table(head, rows)]


def cell(ratio: dict[str, float]) -> str:
    """Format a ratio, as in `0.97 (0.91 to 1.02)`."""
    return f"{ratio['median']:.2f} ({ratio['least']:.2f} to {ratio['greatest']:.2f})"
