"""The figures of the simulated pool, in docs/active-learning.md between two markers."""

import json
from typing import Any

from bench.active_learning_report import machine
from bench.label_efficiency_report import PAGE, interval, ratio
from bench.markdown import put_between, table
from bench.report import RESULTS

RESULT = RESULTS / "simulated_pool.json"
BEGIN = "<!-- simulated pool: written by `python -m bench.simulated_pool` -->"
END = "<!-- end of simulated pool -->"
HEAD = (
    "world",
    "selector's step AUC",
    "errors per label, random / chosen",
    "best-of-64",
    "times the labels",
    "step AUC",
    "times the labels",
)


def write() -> None:
    """Put the figures between the markers; do nothing without a result."""
    if not RESULT.exists():
        return
    found = json.loads(RESULT.read_text())
    put_between(PAGE, BEGIN, END, lines(found))


def lines(found: dict[str, Any]) -> list[str]:
    """Return one row per world, at the middle budget."""
    one = next(iter(found["worlds"].values()))
    middle = len(one["curves"]["random"]) // 2
    labels = one["curves"]["random"][middle]["labels"]
    return [
        f"Measured {found['measured_at'][:10]}, {machine(found)}; {found['seeds']} seeds, 100 problems, about "
        f"{labels:.0f} labels. The table shows the gain of choosing four fifths convincing wrong answers over random "
        "choice, and how many times as many labels random choice needs for the same figure, with 95 % intervals.",
        "",
        *table(HEAD, [row(name, world, middle) for name, world in found["worlds"].items()]),
    ]


def row(name: str, world: dict[str, Any], middle: int) -> tuple[str, ...]:
    """Return a world's figures."""
    random, chosen = (world["curves"][way][middle] for way in ("random", "convincing_wrong"))
    return (
        name,
        f"{world['selector_auc']['mean']:.2f}",
        f"{random['errors_per_label']:.2f} / {chosen['errors_per_label']:.2f}",
        *(
            said
            for figure in ("best_of_n", "auc")
            for said in (interval(world["gain"][figure], sign=True), ratio(world["times_the_labels"][figure]))
        ),
    )
