"""`python -m worker.prm.fit_head BASE OUT DATA.jsonl …`: a step classifier from labeled traces, on a laptop.

The decoder in BASE stays frozen. A logistic head is fitted on its states at the step separators. Layer and
regularisation are chosen on validation problems, then the head is fitted on those too; metrics are of test problems
that nothing was chosen on. OUT is the decoder cut off after that layer, with the head: safetensors that plain
transformers reads as a token classifier, and `meta.json`. States are cached: fitting again computes only those of new
traces.

With few labels, no part can be spared: choice and metrics are then cross-validated over problems, and meta.json says
so.
"""

import argparse
import json
import sys
import time
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

import torch
from torch import Tensor

from worker.prm import checkpoint_writer, metrics
from worker.prm.choice_worth import curves, refits
from worker.prm.errors import PrmError, SpecError, StoppedError
from worker.prm.examples import OUTCOME, PROGRESS, STEPS, Example, part_name, part_of, read_examples
from worker.prm.fit_progress import BIAS, WEIGHT, fit_progress, words
from worker.prm.kernels import one_thread
from worker.prm.metrics import fit
from worker.prm.options import Counted, Progress, Stop, TrainOptions, silent
from worker.prm.states import StateCache, TraceCache
from worker.prm.step_set import LEAST, StepSet

L2 = (1.0, 10.0, 100.0, 1000.0, 10_000.0)
FEWEST = 10  # rated steps of either kind that a part needs for metrics
FOLDS = 5
FEW = 20_000  # steps; with fewer, a fit is over before several threads have synchronised


class Split(NamedTuple):
    """The uses of steps (masks [n]). `folds` are pairs (fitted on, measured on); `test` is None if too few."""

    folds: list[tuple[Tensor, Tensor]]
    learned: Tensor
    test: Tensor | None
    chosen_on: str

    @property
    def measured(self) -> Tensor:
        """The steps, [n] bool, that choosing measures on."""
        return torch.stack([measured for _fitted, measured in self.folds]).any(0)


class Choice(NamedTuple):
    """The best layer and regularisation, the odds [n] they gave on steps they were not fitted on, and all attempts."""

    layer: int
    l2: float
    odds: Tensor
    tried: list[dict[str, Any]]


def collect(
    cache: TraceCache,
    examples: Iterable[Example],
    target: str,
    seed: int,
    progress: Progress = silent,
    stop: Stop = lambda: False,
) -> StepSet:
    """Read all examples, problem by problem: traces of a problem share its text, and so the work."""
    by_problem: dict[str, list[Example]] = {}
    for example in examples:
        by_problem.setdefault(example.problem, []).append(example)
    states: dict[str, list[Tensor]] = {name: [] for name in cache.names}
    rows: list[tuple[int, int, int, int, bool, str, int, float, int, bool]] = []
    read_traces = 0
    looked_at = Counted(progress, "states", sum(map(len, by_problem.values())))
    for number, (problem, group) in enumerate(by_problem.items()):
        if stop():
            raise StoppedError(
                f"Stopped after reading the states of {number} of {len(by_problem)} problems; they are kept."
            )
        part = part_name(part_of(problem, seed))
        read = [one.steps[: one.rated[-1] + 1] for one in group]  # later steps do not change the states before them
        for example, found in zip(group, cache.of_problem(problem, read), strict=True):
            if found is None:
                continue
            rated = example.rated
            for name, kept in states.items():
                kept.append(found[name][rated])
            rows += [
                (
                    example.targets[step] or 0,
                    step,
                    len(example.steps[step]),
                    number,
                    example.source is None and (target == STEPS or step == len(example.steps) - 1),
                    part,
                    read_traces,
                    example.weight,
                    example.round,
                    example.by_chance,
                )
                for step in rated
            ]
            read_traces += 1
        looked_at.add(len(group))
    if not rows:
        raise SpecError("The files contain no rated step that the model can read.")
    labels, places, lengths, problems, counted, parts, traces, weights, rounds, by_chance = zip(*rows, strict=True)
    return StepSet(
        {name: torch.cat(tensors) for name, tensors in states.items()},
        torch.tensor(labels),
        torch.tensor(places),
        torch.tensor(lengths, dtype=torch.float32),
        torch.tensor(problems),
        torch.tensor(counted),
        list(parts),
        torch.tensor(traces),
        torch.tensor(weights) if any(one != 1.0 for one in weights) else None,
        torch.tensor(rounds) if any(rounds) else None,
        torch.tensor(by_chance) if any(rounds) else None,
    )


def split_of(steps: StepSet) -> Split:
    """Split into train, validation and test if each has enough of both kinds, else into folds. Raises SpecError."""
    parts = {part: steps.chosen(part) for part in ("train", "validation", "test")}
    enough = {part: min(steps.counts(mask & steps.counted)) >= FEWEST for part, mask in parts.items()}
    test = parts["test"] & steps.counted if enough["test"] else None
    learned = ~parts["test"] if enough["test"] else torch.ones(len(steps.labels), dtype=torch.bool)
    if all(enough.values()):
        return Split([(parts["train"], parts["validation"] & steps.counted)], learned, test, "validation")
    people = learned & steps.counted
    right, wrong = steps.counts(people)
    problems = steps.problems[people].unique()
    if min(right, wrong) < LEAST or len(problems) < 2:
        raise SpecError(
            f"The labels have {right} right and {wrong} wrong steps of {len(problems)} problems. Fitting a head needs "
            f"at least {LEAST} of each kind and two problems. Label more traces."
        )
    # A problem that only machines marked takes the fold of one of people's, and is fitted on when that one is.
    places = torch.searchsorted(problems, steps.problems) % min(FOLDS, len(problems))
    folds = [
        (learned & (places != fold), learned & steps.counted & (places == fold))
        for fold in range(min(FOLDS, len(problems)))
    ]
    return Split(folds, learned, test, "cross-validation")


def choose(
    steps: StepSet, split: Split, count: int, progress: Progress, stop: Stop, strengths: Sequence[float] = L2
) -> Choice:
    """Return the layer and regularisation with the best AUC on steps that the head was not fitted on."""
    best: Choice | None = None
    top, tried = -1.0, []
    measured = split.measured
    total = len(steps.states) * len(strengths)
    heads = Counted(progress, "heads", total * len(split.folds))
    for layer, inputs in steps.states.items():
        if stop():
            raise StoppedError("Stopped while choosing the layer; the states are kept.")
        for l2, odds in zip(strengths, crossed(inputs, steps, split, count, strengths, heads), strict=True):
            value = metrics.auc(odds[measured], steps.targets[measured]) or 0.0
            tried.append({"layer": int(layer), "l2": l2, "validation_auc": value})
            progress({"stage": "fit", "done": len(tried), "total": total, **tried[-1]})
            if value > top:
                top, best = value, Choice(int(layer), l2, odds, tried)
    if best is None:
        raise SpecError("There is no layer to choose from.")
    return best


def crossed(
    inputs: Tensor, steps: StepSet, split: Split, count: int, strengths: Sequence[float], told: Counted | None = None
) -> list[Tensor]:
    """Return, for each strength, the log odds [n] of the measured steps by heads that were not fitted on them; 0
    elsewhere. `told` counts the heads that were fitted.
    """
    odds = [torch.zeros(len(steps.labels)) for _ in strengths]
    labels = steps.labels if count > 2 else (steps.labels > 0).long()
    for fitted, measured in split.folds:
        heads = metrics.fits(inputs[fitted], labels[fitted], count, strengths, steps.weights_of(fitted))
        for one, head in zip(odds, heads, strict=True):
            one[measured] = head.odds(inputs[measured])
        if told is not None:
            told.add(len(strengths))
    return odds


class Fitted(NamedTuple):
    """The head for raw states of the chosen layer before calibration, the temperature that its odds are divided by, and
    what was tried on the way.
    """

    choice: Choice
    raw: metrics.Head
    temperature: float

    @property
    def head(self) -> metrics.Head:
        """The calibrated head."""
        return self.raw.cooled(self.temperature)


def fit_on(
    steps: StepSet,
    split: Split,
    count: int = 2,
    progress: Progress = silent,
    stop: Stop = lambda: False,
    strengths: Sequence[float] = L2,
) -> Fitted:
    """Choose, fit on all steps that may be learned, and calibrate on those that choosing measured.

    `count` is the number of labels, `strengths` the regularisations that are tried.
    """
    with one_thread(len(steps.labels) <= FEW):
        choice = choose(steps, split, count, progress, stop, strengths)
        here = split.learned
        states = steps.states[str(choice.layer)][here]
        raw = fit(states, steps.labels[here], count, choice.l2, steps.weights_of(here))
    temperature = metrics.best_temperature(choice.odds[split.measured], steps.targets[split.measured])
    return Fitted(choice, raw, temperature or 1.0)


def baselines(steps: StepSet, split: Split) -> tuple[dict[str, Any], dict[str, Any] | None]:
    """Return the same metrics, validation and test, for a classifier that sees only position and length."""
    inputs, binary = metrics.position_and_length(steps.places, steps.lengths), (steps.labels > 0).long()
    on_validation = steps.measure(crossed(inputs, steps, split, 2, [1.0])[0], split.measured)
    if split.test is None:
        return on_validation, None
    head = fit(inputs[split.learned], binary[split.learned], 2, 1.0, steps.weights_of(split.learned))
    return on_validation, steps.measure(head.odds(inputs), split.test)


def fit_head(
    base: Path,
    out: Path,
    data: Sequence[Path],
    *,
    cache_folder: Path,
    layers: Sequence[int] = (),
    neutral: str = "positive",
    target: str = STEPS,
    seed: int = 0,
    separator: str = "\n",
    observed: int | None = None,
    lineage: Mapping[str, Any] | None = None,
    progress: Progress = silent,
    stop: Stop = lambda: False,
) -> dict[str, Any]:
    """Fit, measure and write a checkpoint. Return what `meta.json` holds. Raises PrmError."""
    began = time.monotonic()
    kept: dict[str, Any] = {"separator": separator, "observed": observed, "seed": seed, "lineage": lineage or {}}
    options = TrainOptions(base=base, target=target, neutral=neutral, **kept)
    Counted(progress, "loading", 0)
    cache = StateCache(base, cache_folder, layers, separator)
    first = OUTCOME if target == OUTCOME else STEPS  # what the first head learns
    examples = list(read_examples(data, neutral, first))
    steps = collect(cache, examples, first, seed, progress, stop)
    cached = time.monotonic()
    names, split = options.labels, split_of(steps)
    found = fit_on(steps, split, len(names), progress, stop)
    choice, checkpoint = found.choice, cache.decoder.checkpoint
    meta = {
        **checkpoint_writer.about(checkpoint, cache.checksum, data, examples, options),
        "layer": choice.layer,
        "l2": choice.l2,
        "tried": choice.tried,
        "chosen_on": split.chosen_on,
        **report(steps, split, choice, found.raw.odds(steps.states[str(choice.layer)]), found.temperature),
        "seconds": {"states": round(cached - began, 1), "fit": round(time.monotonic() - cached, 1)},
        **curves_of(steps, choice, len(names), seed, progress, stop),
    }
    head = found.head
    second = fit_progress(cache, data, choice.layer, progress, stop) if target == PROGRESS else None
    if second is not None:
        meta |= {"progress": second.report, "notes": [*meta["notes"], words(second.report)]}
    Counted(progress, "writing", 0)
    shapes = checkpoint_writer.decoder_shapes(checkpoint, choice.layer)
    tensors = checkpoint.read(shapes, torch.float32, torch.device("cpu"))
    tensors |= {"score.weight": head.weight, "score.bias": head.bias}
    if second is not None:
        tensors |= {WEIGHT: second.weight, BIAS: second.bias}
    checkpoint_writer.write_classifier(out, checkpoint, tensors, names, choice.layer, meta)
    progress({"stage": "written", "done": 1, "total": 1})
    return meta


def curves_of(steps: StepSet, choice: Choice, count: int, seed: int, progress: Progress, stop: Stop) -> dict[str, Any]:
    """Return the curves of the chosen layer and strength."""
    states = steps.states[str(choice.layer)]

    def refit(fitted: Tensor, measured: Tensor) -> Tensor:
        head = fit(states[fitted], labels[fitted], count, choice.l2, steps.weights_of(fitted))
        heads.add()
        return head.odds(states[measured])

    labels = steps.labels if count > 2 else (steps.labels > 0).long()
    heads = Counted(progress, "curve", refits(steps))
    with one_thread(len(steps.labels) <= FEW):
        return curves(steps, refit, seed, stop)


def report(steps: StepSet, split: Split, choice: Choice, odds: Tensor, temperature: float) -> dict[str, Any]:
    """Return the figures of each part next to the baselines, and calibration. `odds` [n] are the final head's, raw."""
    validation_baseline, test_baseline = baselines(steps, split)
    validation = steps.measure(choice.odds / temperature, split.measured)
    measured = choice.odds[split.measured] / temperature
    test = None if split.test is None else steps.measure(odds / temperature, split.test)
    unseen, seen_odds = (split.measured, choice.odds) if split.test is None else (split.test, odds)
    return {
        "train": steps.measure(odds / temperature, split.learned & steps.counted),
        "validation": validation,
        "test": test,
        "validation_position_and_length_only": validation_baseline,
        "test_position_and_length_only": test_baseline,
        "beats_baseline": metrics.beats(test or validation, test_baseline if test else validation_baseline),
        "threshold": metrics.best_threshold(measured, steps.targets[split.measured]),
        "first_errors": first_errors(steps, split, choice.odds / temperature, odds / temperature),
        "calibration": {
            "temperature": temperature,
            "fitted_on": split.chosen_on,
            "measured_on": split.chosen_on if split.test is None else "test",
            "before": metrics.calibration(seen_odds[unseen], steps.targets[unseen]),
            "after": metrics.calibration(seen_odds[unseen] / temperature, steps.targets[unseen]),
        },
    }


def first_errors(steps: StepSet, split: Split, crossed: Tensor, odds: Tensor) -> dict[str, Any] | None:
    """Return how well the first wrong step of a trace is found: the first one below a threshold on P.

    The threshold is chosen on problems that may be learned, with odds [n] from heads that had not seen them, and
    measured on the test problems with those of the final head.
    """
    here = split.measured
    threshold = metrics.best_first_error_threshold(crossed[here], steps.targets[here], steps.traces[here])
    if threshold is None:
        return None
    chosen, seen = (here, crossed) if split.test is None else (split.test, odds)
    found = metrics.first_errors(seen[chosen], steps.targets[chosen], steps.traces[chosen], threshold)
    on = {"chosen_on": split.chosen_on, "measured_on": split.chosen_on if split.test is None else "test"}
    return {"threshold": threshold, **on, **found}


def main(arguments: Sequence[str] | None = None) -> int:
    """Fit. Return 0 if a checkpoint was written, 1 after printing the reason if not."""
    parser = argparse.ArgumentParser(prog="python -m worker.prm.fit_head", description=__doc__.splitlines()[0])
    parser.add_argument("base", type=Path, help="a folder with a causal language model as safetensors")
    parser.add_argument("out", type=Path, help="where the checkpoint goes")
    parser.add_argument("data", type=Path, nargs="+", help="labeled traces in the neutral format")
    parser.add_argument("--cache", type=Path, default=Path("var/states"), help="folder of cached states")
    parser.add_argument(
        "--layers", type=int, nargs="*", default=[], help="layers to choose from; default: five in the middle"
    )
    parser.add_argument("--neutral", choices=["positive", "negative"], default="positive", help="what a 0 counts as")
    parser.add_argument("--seed", type=int, default=0, help="of the split by problem")
    options = parser.parse_args(arguments)
    try:
        meta = fit_head(
            options.base,
            options.out,
            options.data,
            cache_folder=options.cache,
            layers=options.layers,
            neutral=options.neutral,
            seed=options.seed,
        )
    except PrmError as error:
        print(error, file=sys.stderr)
        return 1
    print(
        json.dumps(
            {name: meta[name] for name in ("layer", "test", "test_position_and_length_only", "seconds")}, indent=1
        )
    )
    return 0


if __name__ == "__main__":
    sys.exit(main())
