"""The table of speeds in docs/machine-labels.md, from bench/results/rollout_speed.json; no figure is typed by hand."""

import json
from pathlib import Path
from typing import Any

from bench.markdown import met, put_between, table

RESULT = Path(__file__).parent / "results" / "rollout_speed.json"
PAGE = Path(__file__).parents[1] / "docs" / "machine-labels.md"
SHORT = 0.05
BEGIN, END = "<!-- bench.rollout_speed -->\n", "<!-- /bench.rollout_speed -->\n"
HEAD = (
    "server answers after",
    "traces",
    "workers killed",
    "prefixes lost",
    "held by the server: mean, most",
    "asked: mean, most",
    "asked while requests wait: mean, 10 %",
    "of these sent whole",
    "kept waiting",
    "requests a second, of a worker",
    "processor: workers, graders",
    "load before",
)


def write(found: dict[str, Any]) -> None:
    """Save the measurements, and write the table."""
    RESULT.write_text(json.dumps(found, indent=1) + "\n")
    of = found["machine"]
    where = f"{of['cores']} cores of {of['cpu']}, {of['ram_gib']} GiB, Linux {of['kernel']}, {found['measured'][:10]}."
    runs = found["runs"]
    lines = [
        *table(HEAD, [row(run) for run in runs]),
        "",
        *table(
            ("aim", "measured", ""), [*(aim for run in runs if run["graded"] for aim in aims(run)), *grading_aims(runs)]
        ),
        "",
        where,
        "",
    ]
    put_between(PAGE, BEGIN, END, lines)


def server_of(run: dict[str, Any]) -> str:
    """Describe a run's server in words."""
    when = "at once" if run["delay"] == 0 else f"{run['delay']:g} s"
    return when if run["graded"] else f"{when}, nothing graded"


def row(run: dict[str, Any]) -> tuple[str, ...]:
    """Return the row of one run."""
    return (
        server_of(run),
        f"{run['traces']:,}",
        f"{run['killed']}",
        f"{run['lost'] * run['prefixes']:,} of {run['requests_needed']:,}",
        f"{run['mean_in_flight']:.0f}, {run['most_in_flight']}",
        f"{run['mean_asked']:.0f}, {run['most_asked']:.0f}",
        f"{run['mean_asked_ready']:.0f}, {run['p10_asked_ready']:.0f}",
        f"{run['mean_sent_ready']:.0f}",
        f"{run['short']:.1%}",
        f"{rate_of(run):,.0f}",
        f"{run['workers_cpu']:.0f} s, {run['graders_cpu']:.0f} s",
        f"{run['load_before']:.1f}",
    )


def rate_of(run: dict[str, Any]) -> float:
    """Return requests (each of several rollouts) per second that a worker is at chunks, until their last mark is
    written.
    """
    return float(run["requests"] / max(1e-9, run["seconds_at_work"]))


def aims(run: dict[str, Any]) -> list[tuple[str, ...]]:
    """Return the aims: 200 requests asked and not answered, nine tenths of the time that any wait; 200 sent whole."""
    at = f"a server that answers {'at once' if run['delay'] == 0 else 'after {:g} s'.format(run['delay'])}"
    asked, sent = run["p10_asked_ready"], run["mean_sent_ready"]
    return [
        (f"200 asked and not answered, nine tenths of the time, at {at}", f"{asked:.0f}", met(asked >= run["enough"])),
        (f"200 sent whole and not read, on average, at {at}", f"{sent:.0f}", met(sent >= run["enough"])),
    ]


def grading_aims(runs: list[dict[str, Any]]) -> list[tuple[str, ...]]:
    """Return the aims for grading's delay of requests to a server that answers at once, where it would show first."""
    [graded] = [run for run in runs if run["delay"] == 0 and run["graded"]]
    [bare] = [run for run in runs if run["delay"] == 0 and not run["graded"]]
    return [
        (
            "requests wait for grading or writing in at most a twentieth of the time",
            f"{graded['short']:.1%}",
            met(graded["short"] <= SHORT),
        ),
        (
            "requests a second with grading, of those without",
            f"{rate_of(graded) / rate_of(bare):.0%}",
            "both share the processor",
        ),
    ]
