"""The table of speeds in docs/machine-labels.md, from bench/results/rollout_speed.json; no figure in it is typed."""

import json
from pathlib import Path
from typing import Any

from bench.markdown import met, put_between, table

RESULT = Path(__file__).parent / "results" / "rollout_speed.json"
PAGE = Path(__file__).parents[1] / "docs" / "machine-labels.md"
BEGIN, END = "<!-- bench.rollout_speed -->\n", "<!-- /bench.rollout_speed -->\n"
HEAD = (
    "server answers after",
    "traces",
    "workers killed",
    "prefixes lost",
    "most in flight",
    "asked, mean",
    "with requests waiting",
    "200 or more",
    "rollouts a second",
    "grader busy",
    "load before",
)


def write(found: dict[str, Any]) -> None:
    """Keep what was measured, and write the table."""
    RESULT.write_text(json.dumps(found, indent=1) + "\n")
    aims = [aim(run) for run in found["runs"]]
    of = found["machine"]
    where = f"{of['cores']} cores of {of['cpu']}, {of['ram_gib']} GiB, Linux {of['kernel']}, {found['measured'][:10]}."
    lines = [
        *table(HEAD, [row(run) for run in found["runs"]]),
        "",
        *table(("aim", "measured", ""), aims),
        "",
        where,
        "",
    ]
    put_between(PAGE, BEGIN, END, lines)


def row(run: dict[str, Any]) -> tuple[str, ...]:
    """A server's."""
    return (
        "at once" if run["delay"] == 0 else f"{run['delay']:g} s",
        f"{run['traces']:,}",
        f"{run['killed']}",
        f"{run['lost'] * run['prefixes']:,} of {run['requests_needed']:,}",
        f"{run['most_in_flight']}",
        f"{run['mean_asked']:.0f}",
        f"{run['mean_asked_ready']:.0f}",
        f"{run['full']:.0%}",
        f"{run['calls'] / run['seconds']:,.0f}",
        f"{run['grading_share']:.0%}",
        f"{run['load_before']:.1f}",
    )


def aim(run: dict[str, Any]) -> tuple[str, ...]:
    """200 requests asked and not answered while any wait, on average."""
    when = "at once" if run["delay"] == 0 else f"after {run['delay']:g} s"
    return (
        f"200 in flight at a server that answers {when}",
        f"{run['mean_asked_ready']:.0f}",
        met(run["mean_asked_ready"] >= run["enough"]),
    )
