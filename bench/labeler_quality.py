"""How often the pausing rule and screening are wrong, on simulated labelers: `python -m bench.labeler_quality`.

Writes bench/results/labeler_quality.json and the figures in docs/quality.md. Needs no servers and takes a few seconds;
the same seed gives the same figures.
"""

import json
import math
import sys
from dataclasses import asdict
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from bench.machine import machine
from bench.markdown import table
from bench.progress import say
from labeling.quality.sequential_test import QualityRules, Screening, Simulated, simulate

RESULT = Path(__file__).parent / "results" / "labeler_quality.json"
PAGE = Path(__file__).parent.parent / "docs" / "quality.md"
BEGIN = "<!-- figures: written by `python -m bench.labeler_quality` -->"
END = "<!-- end of figures -->"
SEED = 20
LABELERS = 20_000
ACCURACIES = (0.95, 0.90, 0.85, 0.80, 0.75, 0.70, 0.60, 0.50, 0.30)
LOOKS = (20, 40, 60)
FOREVER = 400  # gold tasks: more than any labeler gets in twenty rounds


def measure() -> dict[str, Any]:
    """Simulate labelers of each accuracy, labelers at the limits checked indefinitely, and screening."""
    rules, screening = QualityRules(), Screening()
    runs = {accuracy: simulate(accuracy, rules, looks=LOOKS, labelers=LABELERS, seed=SEED) for accuracy in ACCURACIES}
    say(f"standing: {LABELERS:,} labelers of each accuracy")
    limits = {
        accuracy: simulate(accuracy, rules, looks=(FOREVER,), labelers=LABELERS, seed=SEED)
        for accuracy in (rules.bar, rules.good)
    }
    say(f"standing: at the limits for {FOREVER} gold tasks")
    return {
        "seed": SEED,
        "labelers": LABELERS,
        "rules": asdict(rules),
        "runs": [{"accuracy": accuracy, **asdict(run)} for accuracy, run in runs.items()],
        "for_ever": for_ever(limits, rules),
        "screening": {
            **asdict(screening),
            "needed": screening.needed,
            "admitted": [{"accuracy": accuracy, **admitted(accuracy, screening)} for accuracy in ACCURACIES],
        },
    }


def for_ever(limits: dict[float, Simulated], rules: QualityRules) -> dict[str, Any]:
    """Return the promised error rates next to the measured ones."""
    bar, good = limits[rules.bar], limits[rules.good]
    return {
        "gold_tasks": FOREVER,
        "paused_at_bar": {"promised": rules.wrong_pause, "found": bar.paused[0]},
        "cleared_at_bar": {"promised": rules.wrong_clear, "found": bar.cleared[0]},
        "coached_though_good": {"promised": rules.wrong_coach, "found": good.coached[0]},
    }


def admitted(accuracy: float, screening: Screening) -> dict[str, float]:
    """Return the exact chance of being admitted, at the first attempt and in all."""
    once = math.fsum(
        math.comb(screening.tasks, passed) * accuracy**passed * (1 - accuracy) ** (screening.tasks - passed)
        for passed in range(screening.needed, screening.tasks + 1)
    )
    return {"first_attempt": once, "in_all": 1 - (1 - once) ** (1 + screening.retries)}


def write_page(found: dict[str, Any]) -> None:
    """Put the figures between the markers in docs/quality.md."""
    before, _, rest = PAGE.read_text().partition(BEGIN)
    _, _, after = rest.partition(END)
    PAGE.write_text(before + "\n".join([BEGIN, *figures(found), END]) + after)


def figures(found: dict[str, Any]) -> list[str]:
    """Return the tables."""
    rows = [run_row(run) for run in found["runs"]]
    screened = found["screening"]
    chances = [
        (f"{one['accuracy']:.0%}", f"{one['first_attempt']:.1%}", f"{one['in_all']:.1%}")
        for one in screened["admitted"]
    ]
    endless = found["for_ever"]
    promises = [
        (name, f"{endless[key]['promised']:.0%}", f"{endless[key]['found']:.1%}")
        for key, name in (
            ("paused_at_bar", f"a labeler at {found['rules']['bar']:.0%} is paused"),
            ("cleared_at_bar", f"a labeler at {found['rules']['bar']:.0%} is cleared"),
            ("coached_though_good", f"a labeler at {found['rules']['good']:.0%} is coached"),
        )
    ]
    looks = " / ".join(map(str, found["runs"][0]["looks"]))
    return [
        f"{found['labelers']:,} simulated labelers a row, seed {found['seed']}.",
        "",
        f"Shares of labelers after {looks} gold tasks; the first of pause and clear ends a labeler:",
        "",
        *table(("accuracy", "coached", "paused", "cleared", "median tasks to pause", "to clear"), rows),
        "",
        f"Looking after every one of {endless['gold_tasks']} gold tasks:",
        "",
        *table(("what may go wrong", "at most", "measured"), promises),
        "",
        f"Screening, {screened['needed']} of {screened['tasks']} to pass, {screened['retries']} more attempt (exact):",
        "",
        *table(("accuracy", "admitted at once", "in all"), chances),
    ]


def run_row(run: dict[str, Any]) -> tuple[str, ...]:
    """Return the row of one accuracy."""
    shares = (" / ".join(f"{share:.1%}" for share in run[name]) for name in ("coached", "paused", "cleared"))
    medians = (run["median_tasks_to_pause"], run["median_tasks_to_clear"])
    return (f"{run['accuracy']:.0%}", *shares, *("-" if one is None else f"{one:.0f}" for one in medians))


def main() -> int:
    """Measure, save the result, and write the page."""
    found = {"measured_at": datetime.now(UTC).isoformat(timespec="seconds"), "machine": machine(), **measure()}
    RESULT.write_text(json.dumps(found, indent=1) + "\n")
    write_page(found)
    say(f"written: {RESULT}, {PAGE}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
