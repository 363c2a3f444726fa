"""Part of the replay: the same people label the same traces with fixed and with adaptive overlap."""

from collections import Counter
from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np

from bench.replay_world import SOURCES, Labeler, World
from bench.simulated_labelers import Kind
from labeling.statistics.intervals import percentiles, resampled_totals, wilson

TRACES = 300
TARGET = 0.90  # share of all traces with a settled and right verdict
# People whom screening admits; humans agreed with PRM800K's gold about 80 % of the time.
PEOPLE = [(Kind(f"screened {percent}", "careful", percent / 100), 3) for percent in (77, 80, 84, 88)]
# Name, and overlap, most, needed. With most 0, the overlap is fixed.
DESIGNS = {
    "fixed 3": (3, 0, 0),
    "adaptive 2, up to 5, until 2 agree": (2, 5, 2),
    "adaptive 2, up to 5, until 3 agree": (2, 5, 3),
    "adaptive 3, up to 5, until 3 agree": (3, 5, 3),
}
UNSETTLED = -2  # no verdict has this number
SETTLED = """
    SELECT array_to_string(trace.steps, E'\\n'), task.verdict
    FROM labeling_task task JOIN labeling_trace trace ON trace.id = task.trace_id
    WHERE task.round_id = %s AND task.settlement = 'agreed'
"""


class Outcome(NamedTuple):
    """The result for a trace: its labels, whether it is settled, and whether the verdict is right."""

    labels: int
    settled: bool
    right: bool


class Design(NamedTuple):
    """One rule for how many labels a trace gets, in its own project."""

    name: str
    slug: str
    round_id: int
    adapts: bool


class Overlap:
    """Every design over the same traces, with the same people, who give the same verdicts each time."""

    def __init__(self, world: World, *, quick: bool = False) -> None:
        self.world, self.people = world, world.people(PEOPLE)
        for one in self.people:
            one.log_in()
        self.rows = world.shuffled(SOURCES, "overlap")[: 40 if quick else TRACES]
        self.designs = [self.prepare(f"replay-overlap-{place}", name) for place, name in enumerate(DESIGNS)]

    def prepare(self, slug: str, name: str) -> Design:
        """Create a project with an open round."""
        overlap, most, needed = DESIGNS[name]
        self.world.make_project(slug, self.people, gold_per_round=0)
        self.world.admin.bring(slug, self.rows)
        asked = {"overlap": overlap, "overlap_most": most, "overlap_needed": needed, "seed": self.world.seed}
        return Design(name, slug, self.world.admin.open_round(slug, source="all", **asked), most > 0)

    def label(self, design: Design) -> None:
        """Label the whole round, everyone in turn; designs may run concurrently."""
        self.world.label_until_done(design.slug, self.people)

    def outcomes(self, design: Design) -> list[Outcome]:
        """Return the outcome of each trace, in the order of the rows."""
        names = ["\n".join(row["steps"]) for row in self.rows]
        votes = {trace: votes_on(design.slug, trace, self.people) for trace in names}
        settled = self.world.database.execute(SETTLED, [design.round_id]).fetchall()
        verdicts = dict(settled) if design.adapts else majorities(votes)
        truths = self.world.truths
        return [
            Outcome(len(votes[trace]), trace in verdicts, verdicts.get(trace, UNSETTLED) == truths[trace].first_error)
            for trace in names
        ]

    def measure(self) -> dict[str, Any]:
        """Compare the designs once all are labeled."""
        found = {design.name: self.outcomes(design) for design in self.designs}
        fixed = found[self.designs[0].name]
        return {
            "traces": len(self.rows),
            "target": TARGET,
            "people": [{"accuracy": kind.accuracy, "n": count} for kind, count in PEOPLE],
            "designs": [{"design": name, **figures_of(outcomes)} for name, outcomes in found.items()],
            "against_fixed": [
                {"design": design.name, **against(fixed, found[design.name], self.world.seed)}
                for design in self.designs
                if design.adapts
            ],
        }


def votes_on(slug: str, trace: str, people: Sequence[Labeler]) -> list[int]:
    """Return the verdicts of all people who labeled the trace."""
    return [one.said[slug, trace] for one in people if (slug, trace) in one.said]


def majorities(votes: dict[str, list[int]]) -> dict[str, int]:
    """Return verdicts that at least two of three gave: with a fixed overlap, only reviewers settle."""
    most_said = {trace: Counter(said).most_common(1)[0] for trace, said in votes.items()}
    return {trace: verdict for trace, (verdict, count) in most_said.items() if count > 1}


def figures_of(found: Sequence[Outcome]) -> dict[str, Any]:
    """Return the number of labels, of settled traces, and of right verdicts."""
    settled, right = sum(one.settled for one in found), sum(one.right for one in found)
    return {
        "labels": sum(one.labels for one in found),
        "labels_a_trace": sum(one.labels for one in found) / len(found),
        "settled": settled,
        "right": right,
        "right_of_all": [right / len(found), *wilson(right, len(found))],
        "right_of_settled": [right / max(1, settled), *wilson(right, settled)],
    }


def against(fixed: Sequence[Outcome], other: Sequence[Outcome], seed: int) -> dict[str, Any]:
    """Return labels saved and accuracy gained, paired by trace, with 95 % bootstrap intervals over traces."""
    parts = np.array(
        [(a.labels, b.labels, a.right, b.right) for a, b in zip(fixed, other, strict=True)], dtype=np.float64
    )
    sums, drawn = parts.sum(axis=0), resampled_totals(parts, seed=seed)
    return {
        "labels_saved": [1 - sums[1] / sums[0], *percentiles(1 - drawn[:, 1] / drawn[:, 0])],
        "accuracy_won": [
            float(sums[3] - sums[2]) / len(parts),
            *percentiles((drawn[:, 3] - drawn[:, 2]) / len(parts)),
        ],
        "only_fixed_right": int(sum(a.right and not b.right for a, b in zip(fixed, other, strict=True))),
        "only_adaptive_right": int(sum(b.right and not a.right for a, b in zip(fixed, other, strict=True))),
    }
