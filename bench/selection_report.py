"""The figures of selecting for docs/benchmarks.md."""

from typing import Any

from bench.markdown import met, table
from bench.selection import middle

AIM = 5.0  # seconds
NAMES = {"per problem": "K = 8 per problem", "global": "the best 50,000", "global, capped": "the same, 4 per problem"}


def aims(found: dict[str, Any]) -> list[tuple[str, ...]]:
    """Return the aims for selecting, and for the count in the form."""
    pool = found["pool"]
    rows: list[tuple[str, ...]] = []
    for name in ("per problem", "global"):
        seconds = middle(found["runs"][name])
        what = f"select from {pool['traces']:,} scored traces, {NAMES[name]}"
        rows.append((what, f"<= {AIM:.0f} s", f"{seconds:.1f} s", met(seconds <= AIM)))
    slowest = max(max(count["seconds"], count["filtered_seconds"]) for count in found["counts"])
    rows.append(("the pool counted while a form changes, worst", "< 1 s", f"{slowest:.2f} s", met(slowest < 1)))
    return rows


def body(found: dict[str, Any]) -> list[str]:
    """Return every run, and the same choices by naive methods."""
    pool = found["pool"]
    lines = [
        f"{pool['traces']:,} scored traces of {pool['problems']:,} problems, "
        f"{pool['table_bytes'] / 1e9:.1f} GB of rows and {pool['index_bytes'] / 1e9:.1f} GB of indexes, made in "
        f"{pool['seconds']:.0f} s by generate_series. Four fifths are wrong answers, and a tenth goes to the control "
        "arm. Near duplicates are left out by comparing the texts of the traces that would be chosen. These have 120 "
        "words each, and every tenth is nearly the same as others of its problem. Times are medians of the runs; CPU: "
        "this process + Postgres. *Summary*: the exact counts, histogram and medians of the preview, which read the "
        "index of the whole pool once more.",
        "",
    ]
    rows = [row(name, runs, found["naive"].get(name)) for name, runs in found["runs"].items()]
    head = ("choice", "chosen", "near duplicates", "seconds", "CPU s", "memory MB", "summary s", "all rows, s", "ratio")
    lines += [*table(head, rows), ""]
    python = found["in_python"]
    times = pool["problems"] / python["problems"]
    lines += [
        "*All rows*: a window function numbers every row, or a sort orders them, before the same choice, without a "
        "control arm. "
        "With the pool in Python and without reading any text, a tenth of the problems takes "
        f"{python['seconds']:.0f} s and {python['rss_mb']:,} MB. All problems would take about "
        f"{python['seconds'] * times:.0f} s and {python['rss_mb'] * times / 1000:.0f} GB.",
        "",
    ]
    counts = [
        (
            f"{count['of']:,}",
            f"{count['seconds'] * 1000:.0f}",
            f"{count['again_seconds'] * 1000:.0f}",
            f"{count['filtered_seconds'] * 1000:.0f}",
            "yes" if count["approximate"] else "no",
            f"{count['traces'] / count['of'] - 1:+.2%}",
            f"{count['share_error']:.2%}",
        )
        for count in found["counts"]
    ]
    columns = (
        "traces in the project",
        "count, ms",
        "again",
        "filter on traces",
        "approximate",
        "traces off",
        "wrong off",
    )
    return [*lines, "Counting the pool while the form is being filled in:", "", *table(columns, counts)]


def row(name: str, runs: list[dict[str, Any]], naive: dict[str, Any] | None) -> tuple[str, ...]:
    """Return a choice as a row."""
    run = sorted(runs, key=lambda one: one["seconds"])[len(runs) // 2]
    return (
        NAMES[name],
        f"{run['chosen']:,}",
        f"{run['dropped'].get('near_duplicate', 0):,}",
        f"{run['seconds']:.1f}",
        f"{run['cpu_seconds']:.1f} + {run['postgres_cpu_seconds']:.1f}",
        f"{run['rss_mb']:,}",
        f"{run['summary_seconds']:.1f}",
        f"{naive['seconds']:.1f}" if naive else "",
        f"{naive['seconds'] / run['seconds']:.1f} x" if naive else "",
    )
