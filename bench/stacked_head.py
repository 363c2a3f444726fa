"""The stacked head against the head on one layer, on real labels: its gain, the part of each block, labels saved.

`python -m bench.stacked_head` has SmolLM2-135M read the shared files with human labels, and writes each method's
results to bench/results/stacked_head.json and docs/training.md. Every figure is over steps whose problems were neither
fitted on nor used to choose a layer, a strength or a threshold: five outer folds over problems, and within each the
product's own choices by inner folds. Earlier results of other files are kept; name files to measure them again.
"""

import argparse
import json
import math
import sys
import time
from collections.abc import Callable, Mapping, Sequence
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import torch
from torch import Tensor

from bench import smollm2
from bench.active_learning import SHARED
from bench.machine import machine
from bench.markdown import put_between, table
from bench.progress import say
from worker.prm import fit_head, fit_stacked, metrics, stacked
from worker.prm.examples import Example, read_examples
from worker.prm.fit_head import Split, collect
from worker.prm.states import ReadingCache, StateCache
from worker.prm.step_set import LEAST, StepSet

Json = dict[str, Any]
ROOT = Path(__file__).parents[1]
RESULTS, PAGE = ROOT / "bench/results/stacked_head.json", ROOT / "docs/training.md"
BEGIN, END = "<!-- bench.stacked_head -->\n", "<!-- /bench.stacked_head -->\n"
STATES = ROOT / "var/models/quality/states"
FILES = (
    *("processbench_gsm8k", "mrben_physics", "prm800k_val", "processbench_math", "bbmistake_multistep_arithmetic"),
    *("bbmistake_logical_deduction", "bbmistake_tracking_shuffled_objects", "mrben_coding"),
)
OUTER, INNER, RESAMPLES = 5, 4, 1000
SIZES, SEEDS = (20, 45, 70, 120, 200, 300), 12
PLACE, ONE, WIDE, SURPRISED, ALL = "place and length", "head", "several layers", "and surprise", "stacked head"
WAYS = (PLACE, ONE, WIDE, SURPRISED, ALL)
MORE = ("labels", "given position", "ECE", "accuracy", "F1", "refit, s")


class Both(NamedTuple):
    """The same steps as read by the two heads."""

    one: StepSet
    stacked: StepSet


class Told(NamedTuple):
    """A method's log odds of held-out steps, and the P below which it calls a step the first error."""

    odds: Tensor
    threshold: float | None


def examples_of(name: str) -> list[Example]:
    """Return every labeled trace of a file."""
    return list(read_examples([SHARED / f"{name}.jsonl"], "positive", "steps"))


def read(examples: Sequence[Example]) -> Both:
    """Read these traces; states are cached on disk."""
    base = smollm2.convert(smollm2.BASE)
    caches = StateCache(base, STATES), ReadingCache(base, STATES)
    return Both(*(collect(cache, examples, "steps", 0) for cache in caches))


def folds_of(problems: Tensor, chosen: Tensor, count: int, seed: int) -> list[tuple[Tensor, Tensor]]:
    """Return pairs (fitted on, held) over the problems of `chosen` (a mask [n]), in an order drawn by `seed`."""
    known = problems[chosen].unique()
    places = torch.zeros(int(problems.max()) + 1, dtype=torch.long)
    order = torch.randperm(len(known), generator=torch.Generator().manual_seed(seed))
    places[known[order]] = torch.arange(len(known)) % count
    fold = places[problems]
    return [(chosen & (fold != one), chosen & (fold == one)) for one in range(count)]


def say_place(both: Both, split: Split) -> Told:
    """Fit a classifier that sees only place and length."""
    steps = both.one
    inputs = metrics.position_and_length(steps.places, steps.lengths)
    head = metrics.fit(inputs[split.learned], (steps.labels[split.learned] > 0).long(), 2, 1.0)
    return Told(head.odds(inputs), None)


def say_one(both: Both, split: Split) -> Told:
    """Fit the head on one layer, and choose its layer and strength."""
    found = fit_head.fit_on(both.one, split)
    odds = found.raw.odds(both.one.states[str(found.choice.layer)]) / found.temperature
    return Told(odds, threshold(both.one, split, found.choice.odds / found.temperature))


def say_stacked(both: Both, split: Split) -> Told:
    """Fit the stacked head on all its inputs."""
    found = fit_stacked.fit_on(both.stacked, split)
    odds = found.head.odds(stacked.joined(both.stacked.states))
    return Told(odds, threshold(both.stacked, split, found.tried.odds))


def say_some(start: stacked.Strengths, lines: Sequence[str]) -> Callable[[Both, Split], Told]:
    """Return a stacked head without the groups whose strength in `start` is infinite."""

    def told(both: Both, split: Split) -> Told:
        steps = both.stacked
        design = stacked.Design.of(steps.states, split.learned)
        inputs = design.inputs(steps.states)
        tried = {name: stacked.LINES[name] for name in lines}
        chosen = stacked.choose(design, inputs, steps.labels, None, split.folds, tried, start).strengths
        scaled = inputs * design.scales(chosen)
        return Told(stacked.fit_scaled(scaled[split.learned], steps.labels[split.learned]).odds(scaled), None)

    return told


def threshold(steps: StepSet, split: Split, crossed: Tensor) -> float | None:
    """Choose a threshold on the fitted steps, from the odds of heads that had not seen them."""
    here = split.measured
    return metrics.best_first_error_threshold(crossed[here], steps.targets[here], steps.traces[here])


SAYS: Mapping[str, Callable[[Both, Split], Told]] = {
    PLACE: say_place,
    ONE: say_one,
    WIDE: say_some(stacked.Strengths(narrow=math.inf, checks=math.inf), ("wide",)),
    SURPRISED: say_some(stacked.Strengths(checks=math.inf), ("wide", "narrow")),
    ALL: say_stacked,
}


def crossed(both: Both, way: str, seed: int = 0) -> Told:
    """Return log odds [2, n] of every step from the fold that had not seen its problem: unchanged, and shifted so that
    0 is that fold's threshold for first errors, if it has one.
    """
    problems = both.one.problems
    everything = torch.ones(len(problems), dtype=torch.bool)
    odds, moved = torch.zeros(len(problems)), torch.zeros(len(problems))
    for fitted, held in folds_of(problems, everything, OUTER, seed):
        split = Split(folds_of(problems, fitted, INNER, seed + 1), fitted, None, "cross-validation")
        told = SAYS[way](both, split)
        odds[held] = told.odds[held]
        moved[held] = told.odds[held] - (logit(told.threshold) if told.threshold else 0.0)
    return Told(torch.stack([odds, moved]), None)


def logit(share: float) -> float:
    """Return the log odds of a probability."""
    return math.log(share / (1 - share))


def metrics_of(steps: StepSet, told: Told, way: str) -> Json:
    """Return the metrics over steps that the method had not seen."""
    odds, moved = told.odds
    found: Json = {
        "auc": metrics.auc(odds, steps.targets),
        "auc_given_position": metrics.auc_given_position(odds, steps.targets, steps.places),
    }
    if way in (ONE, ALL):
        found["ece"] = metrics.calibration(odds, steps.targets)["ece"]
        found["first_errors"] = metrics.first_errors(moved, steps.targets, steps.traces, 0.5)
    return found


def gain(steps: StepSet, more: Tensor, less: Tensor) -> Json:
    """Return one method's gain in AUC over another, with its 95 % interval by resampling problems jointly."""
    draw = np.random.default_rng(0)
    known, number = steps.problems.unique(return_inverse=True)
    differences = []
    for _ in range(RESAMPLES):
        drawn = torch.from_numpy(draw.integers(len(known), size=len(known)))
        times = torch.bincount(drawn, minlength=len(known))[number]
        rows = torch.arange(len(number)).repeat_interleave(times)
        both = [metrics.auc(one[rows], steps.targets[rows]) for one in (more, less)]
        if both[0] is not None and both[1] is not None:
            differences.append(both[0] - both[1])
    whole = (metrics.auc(more, steps.targets) or 0.0) - (metrics.auc(less, steps.targets) or 0.0)
    low, high = np.percentile(differences, [2.5, 97.5])
    return {"value": whole, "low": float(low), "high": float(high)}


def hunger(both: Both) -> Json:
    """Return step AUC on a third of the problems, by how many random traces of the others were learned from."""
    curves: dict[str, list[Json]] = {}
    for way in (ONE, ALL):
        for size in SIZES:
            values = [value for seed in range(SEEDS) if (value := with_labels(both, way, size, seed)) is not None]
            if len(values) == SEEDS:
                curves.setdefault(way, []).append(
                    {"labels": size, "auc": float(np.mean(values)), "deviation": float(np.std(values, ddof=1))}
                )
    return curves


def with_labels(both: Both, way: str, size: int, seed: int) -> float | None:
    """Return the AUC of one draw, or None with too few traces or too few right or wrong steps among them."""
    steps = both.one
    everything = torch.ones(len(steps.problems), dtype=torch.bool)
    rest, held = folds_of(steps.problems, everything, 3, seed)[0]
    traces = steps.traces[rest].unique()
    if len(traces) < size:
        return None
    drawn = traces[torch.randperm(len(traces), generator=torch.Generator().manual_seed(seed))[:size]]
    fitted = torch.isin(steps.traces, drawn)
    if min(steps.counts(fitted)) < LEAST:
        return None
    split = Split(folds_of(steps.problems, fitted, INNER, seed), fitted, None, "cross-validation")
    if any(min(steps.counts(one)) == 0 for one, _ in split.folds):
        return None
    return metrics.auc(SAYS[way](both, split).odds[held], steps.targets[held])


def worth(curves: Json) -> Json | None:
    """Return how many labels the stacked head needs to equal one layer's best, interpolated between measured sizes."""
    if not curves.get(ONE) or not curves.get(ALL):
        return None
    most = curves[ONE][-1]
    before = None
    for point in curves[ALL]:
        if point["auc"] >= most["auc"]:
            if before is None:
                return {"of": most["labels"], "at_most": point["labels"]}
            share = (most["auc"] - before["auc"]) / (point["auc"] - before["auc"])
            return {"of": most["labels"], "needs": before["labels"] + share * (point["labels"] - before["labels"])}
        before = point
    return {"of": most["labels"], "needs": None}


def measured(name: str, most: int | None, *, curves: bool) -> Json:
    """Return all metrics of the first `most` traces of a file. Without `curves`, which take most of the time after
    reading, omit how many labels are saved.
    """
    began = time.monotonic()
    examples = examples_of(name)
    both = read(examples[:most])
    say(f"{name}: {len(both.one.labels)} steps read in {time.monotonic() - began:.0f} s")
    told = {way: crossed(both, way) for way in WAYS}
    fit_began = time.perf_counter()
    everything = torch.ones(len(both.one.labels), dtype=torch.bool)
    fit_stacked.fit_on(
        both.stacked, Split(folds_of(both.one.problems, everything, INNER, 0), everything, None, "cross-validation")
    )
    refit = time.perf_counter() - fit_began
    steps = both.one
    ways = {way: metrics_of(steps, told[way], way) for way in WAYS}
    found: Json = {
        "traces": int(steps.traces.max()) + 1,
        **({"of": len(examples)} if most else {}),
        "problems": len(steps.problems.unique()),
        "steps": len(steps.labels),
        "wrong": int((steps.targets < 0.5).sum()),
        "ways": ways,
        "gains": {way: gain(steps, told[ALL].odds[0], told[way].odds[0]) for way in WAYS if way != ALL},
        "refit_seconds": round(refit, 2),
    }
    if curves:
        found["curves"] = hunger(both)
        found["worth"] = worth(found["curves"])
    say(f"{name}: {json.dumps({way: ways[way]['auc'] for way in WAYS})}, {time.monotonic() - began:.0f} s")
    return found


def keep(name: str, found: Json) -> None:
    """Add a file's metrics to the results."""
    results = json.loads(RESULTS.read_text()) if RESULTS.exists() else {"files": {}}
    now = datetime.now(UTC).isoformat(timespec="seconds")
    results |= {"measured_at": now, "machine": machine()}
    results["files"][name] = {**found, "measured_at": now}
    RESULTS.write_text(json.dumps(results, indent=1) + "\n")


def page(results: Json) -> list[str]:
    """Return the tables of docs/training.md."""
    machine = f"{results['machine']['cores']} cores of {results['machine']['cpu']}, no GPU"
    files = sorted(results["files"].items())
    days = sorted({found["measured_at"][:10] for _name, found in files})
    return [
        f"Measured {' to '.join([days[0], *days[1:][-1:]])}, {machine}; `python -m bench.stacked_head`. SmolLM2-135M. "
        "The table shows step AUC. Nothing was fitted on the problems of the measured steps, and nothing was chosen by "
        f"them ({OUTER} folds over problems, choosing inside each). The gain is over the head on one layer, with the "
        "95 % bootstrap interval over problems.",
        "",
        *table(("labels", "traces", "steps (wrong)", *WAYS, "gain"), [auc_row(*one) for one in files]),
        "",
        "- *several layers*: states of three layers and a mean over the step, place and length.",
        "- *and surprise*: also what the model expected of each token.",
        "- *stacked head*: also the checks of the text. This is what the product fits.",
        "",
        "The next table compares head / stacked head: AUC among steps at the same place, calibration error (ECE), and "
        "first errors at a threshold chosen on what was learned (accuracy, ProcessBench F1).",
        "",
        *table(MORE, [more_row(*one) for one in files]),
        "",
        f"How many labels that saves, head / stacked head (random traces, {SEEDS} draws, mean step AUC on a third of "
        "the problems):",
        "",
        *table(
            ("labels", *map(str, SIZES), "for what one layer has at the most"),
            [hunger_row(*one) for one in files if "curves" in one[1]],
        ),
    ]


def auc_row(name: str, found: Json) -> tuple[str, ...]:
    """Return a file's row in the first table."""
    gained = found["gains"][ONE]
    said = f"{signed(gained['value'])} [{signed(gained['low'])}, {signed(gained['high'])}]"
    values = (f"{found['ways'][way]['auc']:.3f}" for way in WAYS)
    return (name, traces_of(found), f"{found['steps']:,} ({found['wrong']:,})", *values, said)


def traces_of(found: Json) -> str:
    """Say how many traces were measured, and out of how many."""
    most = found.get("of", found["traces"])
    return str(found["traces"]) if found["traces"] == most else f"the first {found['traces']} of {most}"


def signed(value: float) -> str:
    """Format a value with its sign."""
    return f"{value:+.3f}".replace("-", "−")


def more_row(name: str, found: Json) -> tuple[str, ...]:
    """Return a file's row in the second table."""
    both = [found["ways"][way] for way in (ONE, ALL)]

    def pair(of: Callable[[Json], float | None]) -> str:
        return " / ".join("n/a" if (value := of(one)) is None else f"{value:.3f}" for one in both)

    return (
        name,
        pair(lambda one: one["auc_given_position"]),
        pair(lambda one: one["ece"]),
        pair(lambda one: one["first_errors"]["accuracy"]),
        pair(lambda one: one["first_errors"]["processbench_f1"]),
        f"{found['refit_seconds']:.1f}",
    )


def hunger_row(name: str, found: Json) -> tuple[str, ...]:
    """Return a file's row in the third table."""
    curves = {way: {one["labels"]: one["auc"] for one in found["curves"].get(way, [])} for way in (ONE, ALL)}
    cells = [
        f"{curves[ONE][size]:.3f} / {curves[ALL][size]:.3f}" if size in curves[ONE] and size in curves[ALL] else ""
        for size in SIZES
    ]
    return (name, *cells, worth_words(found["worth"]))


def worth_words(found: Json | None) -> str:
    """Return the text of the third table's last column."""
    if found is None:
        return "n/a: too few traces"
    if "at_most" in found:
        return f"at most {found['at_most']} in place of {found['of']}"
    if found["needs"] is None:
        return f"more than {found['of']}"
    return f"{found['needs']:.0f} in place of {found['of']}"


def main(arguments: Sequence[str] | None = None) -> int:
    """Measure the named files and write the page."""
    parser = argparse.ArgumentParser(prog="python -m bench.stacked_head", description=__doc__.splitlines()[0])
    parser.add_argument("files", nargs="*", default=list(FILES))
    parser.add_argument("--threads", type=int, default=2)
    parser.add_argument("--most", type=int, help="traces of each file: the first ones, where all would take too long")
    parser.add_argument("--no-curves", action="store_true", help="leave out how many labels are saved, the long part")
    parser.add_argument("--write-only", action="store_true", help="the page, from the results that there are")
    asked = parser.parse_args(arguments)
    torch.set_num_threads(asked.threads)
    for name in () if asked.write_only else asked.files:
        keep(name, measured(name, asked.most, curves=not asked.no_curves))
    put_between(PAGE, BEGIN, END, [*page(json.loads(RESULTS.read_text())), ""])
    return 0


if __name__ == "__main__":
    sys.exit(main())
