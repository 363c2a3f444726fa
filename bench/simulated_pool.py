"""When choosing convincing wrong answers pays off: `python -m bench.simulated_pool`, on traces whose truth is known.

The paper's conditions (arXiv 2305.20050, §4.2 and App. B) are: a hundred and more samples per problem; a selector that
learned from one label per problem; four fifths of each problem's labels for its most convincing wrong answers; and a
new PRM fitted on the chosen labels, compared with one fitted on random labels by best-of-N on other problems. No real
file has that many judged samples, so the pool is simulated, and each of these conditions is adjustable. The choice
(`labeling.selection.select`), the regression and the figures are the product's. Writes
bench/results/simulated_pool.json and the figures of docs/active-learning.md.
"""

import argparse
import math
import sys
from collections.abc import Sequence
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass, replace
from multiprocessing import get_context
from typing import Any

import numpy as np
import numpy.typing as npt
import torch

from bench import simulated_pool_report
from bench.__main__ import keep
from bench.progress import say
from bench.savings import Floats, band, times
from labeling.metrics.best_of_n import best_of_n
from labeling.metrics.steps import Auc
from labeling.selection import WRONG, Candidate, Rules, select
from labeling.statistics.intervals import resampled_counts
from worker.prm.metrics import Head, fit

Json = dict[str, Any]
WIDTH = 24  # numbers that represent a step
LONGEST = 8  # steps
EACH = (1, 2, 4, 8, 16)  # labels per problem
SIZE = 64  # of N, if there are that many samples
STRENGTH = 10.0  # of the regularisation
TOLD = ("best_of_n", "auc")  # the figures
WAYS = ("random", "convincing_wrong")
MIDDLE = len(EACH) // 2  # the budget that is reported


@dataclass(frozen=True)
class Conditions:
    """A world. A wrong step differs from a right one along the direction of its kind of mistake. The frequency of kinds
    is 1/rank to the power of `skew`, and each problem leads to three of them.

    `seen`: labels per problem that the selector learned from; 0 means that it knows the truth except for noise.
    `lucky`: how often a wrong trace ends in the right answer. `clarity`: how far a wrong step is off, in deviations.
    `often`: the share of steps that are wrong, over problems that differ widely in it.
    """

    problems: int = 100
    samples: int = 100
    kinds: int = 12
    skew: float = 1.0
    clarity: float = 2.5
    often: float = 0.2
    lucky: float = 0.05
    seen: float = 1.0


WORLDS: dict[str, Conditions] = {
    "as in the paper: 100 samples a problem, a selector of one label a problem": Conditions(),
    "a selector of one label in five problems": Conditions(seen=0.2),
    "a selector of ten labels a problem": Conditions(seen=10.0),
    "a selector that knows the truth but for noise": Conditions(seen=0.0),
    "a model that is seldom wrong: one step in thirty": Conditions(often=1 / 30),
    "a model that is seldom wrong, and a selector of ten labels a problem": Conditions(often=1 / 30, seen=10.0),
    "20 samples a problem": Conditions(samples=20),
    "mistakes of one kind": Conditions(kinds=1),
    "mistakes of many kinds, few of them common": Conditions(kinds=20, skew=2.0),
    "right answers by luck, one in four": Conditions(lucky=0.25),
    "mistakes that are hard to see": Conditions(clarity=1.5),
}


@dataclass(frozen=True)
class Pool:
    """Traces of simulated problems: the numbers that represent each step, and the truth."""

    seen: npt.NDArray[np.float32]  # [traces, LONGEST, WIDTH]
    lengths: npt.NDArray[np.int64]  # [traces]
    first_error: npt.NDArray[np.int64]  # [traces]; the length if there is none
    right: npt.NDArray[np.bool_]  # [traces] whether the final answer is right
    problem: npt.NDArray[np.int64]  # [traces]

    @property
    def rated(self) -> npt.NDArray[np.int64]:
        """Number of steps [traces] that a person reads: up to the first error."""
        return np.minimum(self.first_error + 1, self.lengths)


def simulate(world: Conditions, directions: Floats, rng: np.random.Generator) -> Pool:
    """Return the world's number of traces, of new problems; `directions` [kinds, WIDTH] are those of the mistakes."""
    traces = world.problems * world.samples
    problem = np.repeat(np.arange(world.problems), world.samples)
    lengths = rng.integers(3, LONGEST + 1, traces)
    often = 1.0 / np.arange(1, world.kinds + 1) ** world.skew
    own = np.stack([rng.choice(world.kinds, 3, p=often / often.sum()) for _ in range(world.problems)])
    kind = own[problem, rng.integers(0, 3, traces)]
    hard = rng.beta(1.0, 1.0 / world.often - 1.0, world.problems)[problem]  # P(a step is wrong)
    wrong = rng.random((traces, LONGEST)) < hard[:, None]
    wrong &= np.arange(LONGEST) < lengths[:, None]
    has_error = wrong.any(axis=1)
    first = np.where(has_error, wrong.argmax(axis=1), lengths)
    seen = (
        rng.standard_normal((traces, LONGEST, WIDTH)) + 0.5 * rng.standard_normal((world.problems, 1, WIDTH))[problem]
    )
    seen += world.clarity * wrong[:, :, None] * directions[kind][:, None, :]
    right = ~has_error | (rng.random(traces) < world.lucky)
    return Pool(seen.astype(np.float32), lengths, first, right, problem)


def learned(pool: Pool, traces: npt.NDArray[np.int64]) -> Head:
    """Fit a PRM on labels of these traces: steps up to the first error."""
    at = np.arange(LONGEST) < pool.rated[traces][:, None]
    steps = torch.from_numpy(pool.seen[traces][at])
    labels = np.arange(LONGEST) != pool.first_error[traces][:, None]
    return fit(steps, torch.from_numpy(labels[at].astype(np.int64)), 2, STRENGTH)


def odds_of(pool: Pool, head: Head) -> Floats:
    """Return the log odds [traces, LONGEST] of each step being right."""
    flat = torch.from_numpy(pool.seen.reshape(-1, WIDTH))
    found: Floats = head.odds(flat).double().numpy().reshape(-1, LONGEST)
    return found


def log_products(pool: Pool, odds: Floats) -> Floats:
    """Return the log of the product of P(step right) over the existing steps [traces]."""
    logs = -np.logaddexp(0.0, -odds)
    found: Floats = np.where(np.arange(LONGEST) < pool.lengths[:, None], logs, 0.0).sum(axis=1)
    return found


def auc_of(pool: Pool, odds: Floats) -> float:
    """Return the AUC of the steps that a person would read."""
    at = np.arange(LONGEST) < pool.rated[:, None]
    targets = (np.arange(LONGEST) != pool.first_error[:, None])[at]
    found = Auc(targets, odds[at])(np.ones(int(at.sum())))
    return math.nan if found is None else float(found)


def metrics_of(pool: Pool, head: Head) -> dict[str, float]:
    """Return best-of-N over problems by the product of the scores, and AUC of the steps that a person would read."""
    odds = odds_of(pool, head)
    scores = log_products(pool, odds)
    problems = int(pool.problem[-1]) + 1
    of = [pool.problem == number for number in range(problems)]
    size = min(SIZE, int(of[0].sum()))
    picked = [best_of_n(pool.right[one].tolist(), scores[one].tolist(), size) for one in of]
    return {
        "best_of_n": float(np.mean(picked)),
        "auc": auc_of(pool, odds),
    }


def selector_odds(pool: Pool, world: Conditions, rng: np.random.Generator) -> Floats:
    """Return the selector's odds: learned from random labels, or the truth with noise of the same size."""
    if world.seen == 0:
        truth = np.where(np.arange(LONGEST) == pool.first_error[:, None], -1.0, 1.0)
        return np.asarray(2.0 * truth + 2.0 * rng.standard_normal(truth.shape))
    many = max(int(world.seen * world.problems), 10)
    return odds_of(pool, learned(pool, rng.choice(len(pool.problem), many, replace=False)))


def by_selection(pool: Pool, scores: Floats, each: int, seed: int) -> npt.NDArray[np.int64]:
    """Choose as the product does: a number per problem, four fifths of them convincing wrong answers."""
    candidates = [
        Candidate(
            trace,
            int(pool.problem[trace]),
            "correct" if pool.right[trace] else WRONG,
            float(scores[trace]),
            key=trace.to_bytes(8, "big"),
            text=f"{trace:x} {trace * 2654435761:x} {trace * 40503:x} {trace * 7919:x}",
        )
        for trace in range(len(pool.problem))
    ]
    rules = Rules(mode="per_problem", k=each, seed=seed, ratio=0.8)
    return np.array([choice.id for choice in select(candidates, rules).chosen])


def at_random(pool: Pool, each: int, rng: np.random.Generator, many: int) -> npt.NDArray[np.int64]:
    """Choose the same number of labels at random, spread as evenly over the problems as possible."""
    order = np.concatenate(
        [rng.permutation(np.flatnonzero(pool.problem == one)) for one in range(pool.problem[-1] + 1)]
    )
    rank = np.concatenate([np.arange(np.sum(pool.problem == one)) for one in range(pool.problem[-1] + 1)])
    found: npt.NDArray[np.int64] = order[np.argsort(rank, kind="stable")][:many]
    return found


def one_seed(task: tuple[int, Conditions]) -> Json:
    """Measure both methods at every budget, and how good the selector was."""
    seed, world = task
    torch.set_num_threads(1)
    rng = np.random.default_rng(seed)
    directions = rng.standard_normal((world.kinds, WIDTH))
    directions /= np.linalg.norm(directions, axis=1, keepdims=True)
    pool, others = simulate(world, directions, rng), simulate(replace(world, samples=100), directions, rng)
    odds = selector_odds(pool, world, rng)
    scores = log_products(pool, odds)
    found: dict[str, list[Json]] = {name: [] for name in WAYS}
    for each in EACH:
        chosen = by_selection(pool, scores, each, seed)
        ways = {"random": at_random(pool, each, rng, each * world.problems), "convincing_wrong": chosen}
        for name, traces in ways.items():
            found[name].append(
                {
                    "labels": len(traces),
                    "errors": int((pool.first_error[traces] < pool.lengths[traces]).sum()),
                    **metrics_of(others, learned(pool, traces)),
                }
            )
    return {"curves": found, "selector_auc": auc_of(pool, odds)}


def summary(runs: Sequence[Json]) -> Json:
    """Return means with intervals over seeds, and how many times as many labels random needs at the middle budget."""
    weights = np.concatenate(list(resampled_counts(len(runs), 2000, seed=0))) / len(runs)
    tables = {name: {key: table_of(runs, name, key) for key in ("labels", "errors", *TOLD)} for name in WAYS}
    return {
        "selector_auc": band(np.array([run["selector_auc"] for run in runs]), weights),
        "curves": {name: curve_of(of, weights) for name, of in tables.items()},
        "gain": {
            figure: band(tables["convincing_wrong"][figure][:, MIDDLE] - tables["random"][figure][:, MIDDLE], weights)
            for figure in TOLD
        },
        "times_the_labels": {figure: saved(tables, figure, weights) for figure in TOLD},
    }


def table_of(runs: Sequence[Json], name: str, key: str) -> Floats:
    """Return an array [seeds, budgets]."""
    return np.array([[point[key] for point in run["curves"][name]] for run in runs], dtype=np.float64)


def curve_of(of: dict[str, Floats], weights: Floats) -> list[Json]:
    """Return a point for each budget."""
    return [
        {
            "labels": float(of["labels"][:, number].mean()),
            "errors_per_label": float(of["errors"][:, number].sum() / of["labels"][:, number].sum()),
            **{figure: band(of[figure][:, number], weights) for figure in TOLD},
        }
        for number in range(len(EACH))
    ]


def saved(tables: dict[str, dict[str, Floats]], figure: str, weights: Floats) -> Json:
    """Return how many times as many labels random choice needs. The selection may find fewer wrong answers than it has
    places for, so its actual number of labels counts.
    """
    counts = {name: of["labels"].mean(axis=0) for name, of in tables.items()}
    once = np.full((1, weights.shape[1]), 1 / weights.shape[1])
    budgets = [int(count) for count in counts["random"]]
    found = times(tables["convincing_wrong"][figure], tables["random"][figure], budgets, MIDDLE, once, weights)
    return scaled(found, counts["random"][MIDDLE] / counts["convincing_wrong"][MIDDLE])


def scaled(ratio: Json, by: float) -> Json:
    """Scale a ratio to the labels that the selection actually took."""
    return {name: None if value is None else float(value * by) for name, value in ratio.items()}


def main(arguments: Sequence[str] | None = None) -> int:
    """Measure and write the results."""
    parser = argparse.ArgumentParser(prog="python -m bench.simulated_pool", description=__doc__.splitlines()[0])
    parser.add_argument("--seeds", type=int, default=24)
    parser.add_argument("--processes", type=int, default=1)
    parser.add_argument("--quick", action="store_true", help="two seeds, to see that it works; nothing is kept")
    options = parser.parse_args(arguments)
    seeds = 2 if options.quick else options.seeds
    found = {}
    with ProcessPoolExecutor(options.processes, get_context("spawn")) as team:
        for name, world in WORLDS.items():
            found[name] = summary(list(team.map(one_seed, [(seed, world) for seed in range(seeds)])))
            told = found[name]
            say(f"{name}: selector {told['selector_auc']['mean']:.3f}, {told['gain']}, {told['times_the_labels']}")
    keep("simulated_pool", {"seeds": seeds, "worlds": found}, unless=options.quick)
    if not options.quick:
        simulated_pool_report.write()
    return 0


if __name__ == "__main__":
    sys.exit(main())
