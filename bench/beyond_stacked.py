"""Methods that might improve on the stacked head, measured against it: `python -m bench.beyond_stacked FILE …`.

Three things that the product does not do: attention over the tokens of a step instead of a mean; a small recurrent
head that reads the steps of a trace in order; and learning from other sets, with or without the set's own labels.
Each is measured on steps whose problems it neither learned from nor used for choices, in the folds of
bench/stacked_head.py, with its metrics, and as a paired gain over the stacked head. Attention and recurrence add to the
stacked head's log odds; they are fitted on odds from heads that had not seen the step. Like each of the head's own
blocks, each has a strength of regularisation chosen on left-out problems, and is dropped if that is best.

Writes bench/results/beyond_stacked.json and docs/training.md. The named files serve as each other's "other sets".
`FILE:1400` means the file's traces of at most 1,400 characters, including the problem.
"""

import argparse
import json
import sys
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import torch
from torch import Tensor, nn
from torch.nn.functional import binary_cross_entropy_with_logits as cross_entropy
from torch.nn.utils.rnn import pack_sequence

from bench import smollm2
from bench.machine import machine
from bench.markdown import put_between, table
from bench.progress import say
from bench.stacked_head import (
    INNER,
    OUTER,
    PAGE,
    ROOT,
    STATES,
    Json,
    Told,
    examples_of,
    folds_of,
    gain,
    metrics_of,
    signed,
    traces_of,
)
from worker.prm import fit_stacked, metrics, stacked
from worker.prm.examples import Example
from worker.prm.fit_head import Split, collect
from worker.prm.states import ReadingCache, TraceCache, frozen
from worker.prm.step_readings import Layers
from worker.prm.step_set import StepSet
from worker.prm.text import Rendered
from worker.prm.tree import build_tree

RESULTS = ROOT / "bench/results/beyond_stacked.json"
BEGIN, END = "<!-- bench.beyond_stacked -->\n", "<!-- /bench.beyond_stacked -->\n"
TOKENS, COUNT = "tokens", "count"
LAST = 64  # tokens of a step that attention sees (its last ones)
WIDTH = 64  # principal components of a token's state
SAMPLED = 20_000  # tokens that the components are computed from
STEPS = 40  # of LBFGS
HIDDEN, EPOCHS, RATE = 16, 60, 0.01  # of the recurrent head
SEED = 7
STACKED, ATTENTION, RECURRENT = "stacked head", "with attention", "with recurrence"
OTHERS, BOTH = "other sets alone", "other sets too"
ADDED = (ATTENTION, RECURRENT)
STRENGTHS = {ATTENTION: (10.0, 100.0, 1000.0), RECURRENT: (0.3, 3.0, 30.0)}  # L2 values tried for each addition
WAYS = (STACKED, *ADDED, OTHERS, BOTH)


class TokenCache(TraceCache):
    """States of each step's last LAST tokens after the layer whose mean the stacked head reads: float16
    [steps, LAST, h], zero beyond the step's `count` [steps, 1] tokens.
    """

    def __init__(self, base: Path, folder: Path, separator: str = "\n") -> None:
        """Raises PrmError."""
        decoder, checksum = frozen(base, separator)
        self.layer = Layers.of(decoder.depth).mean
        decoder.cut_off(self.layer)
        super().__init__(folder, [checksum, separator, TOKENS, self.layer, LAST], decoder)

    @property
    def names(self) -> list[str]:
        return [TOKENS, COUNT]

    def computed(self, rendered: Sequence[Rendered]) -> list[dict[str, Tensor]]:
        tree = build_tree([one.ids for one in rendered])
        states = self.decoder.decoder.hidden_after(tree, np.arange(len(tree)), [self.layer])[self.layer].cpu()
        return [of_trace(states, path, one) for path, one in zip(tree.paths, rendered, strict=True)]


def of_trace(states: Tensor, path: Any, rendered: Rendered) -> dict[str, Tensor]:
    """Return the token states of one trace's steps; `states` [U, h] are a tree's, `path` the trace's tokens in it."""
    begins = [rendered.begins, *(place + 1 for place in rendered.positions[:-1])]
    found = torch.zeros(len(begins), LAST, states.shape[1], dtype=torch.float16)
    counts = torch.zeros(len(begins), 1)
    for step, (begin, end) in enumerate(zip(begins, rendered.positions, strict=True)):
        span = torch.from_numpy(path[begin : end + 1])[-LAST:]
        found[step, : len(span)] = states[span].half()
        counts[step] = len(span)
    return {TOKENS: found, COUNT: counts}


class Added(NamedTuple):
    """One addition to the stacked head's log odds. `fit` takes the steps to fit on (a mask [n]), whose odds before were
    `start` [n], and an L2, and returns what it adds to every step [n].
    """

    fit: Callable[[Tensor, float], Tensor]
    start: Tensor
    strengths: Sequence[float]

    def chosen(self, split: Split, targets: Tensor) -> tuple[Tensor, float | None]:
        """Return what it adds [n] with the L2 that ranked left-out problems best, and that L2; zeros if none improved
        them.
        """
        here = split.measured
        best, strength = metrics.auc(self.start[here], targets[here]) or 0.0, None
        for l2 in self.strengths:
            odds = self.start.clone()
            for fitted, held in split.folds:
                odds[held] += self.fit(fitted, l2)[held]
            value = metrics.auc(odds[here], targets[here]) or 0.0
            if value > best:
                best, strength = value, l2
        return (torch.zeros_like(self.start) if strength is None else self.fit(split.learned, strength)), strength


def attention(tokens: StepSet, split: Split, start: Tensor) -> Added:
    """A weighted mean of a step's tokens (Bahdanau et al. 2015, arXiv 1409.0473), and a linear head on it."""
    inputs, hidden = projected(tokens, split.learned)

    def fit(fitted: Tensor, l2: float) -> Tensor:
        query, weight, bias = (torch.zeros(size, requires_grad=True) for size in (WIDTH, WIDTH, 1))

        def said(here: Tensor, empty: Tensor) -> Tensor:
            asked, told = (here @ torch.stack([query, weight], 1)).unbind(2)
            return (asked.masked_fill(empty, -torch.inf).softmax(1) * told).sum(1) + bias

        targets, read, none = tokens.targets[fitted], inputs[fitted], hidden[fitted]
        before, weights = evened(start[fitted], targets)
        optimizer = torch.optim.LBFGS([query, weight, bias], max_iter=STEPS, line_search_fn="strong_wolfe")

        def loss() -> Tensor:
            optimizer.zero_grad()
            wrong = cross_entropy(before + said(read, none), targets, weights, reduction="sum")
            value = wrong + l2 / 2 * (query.square().sum() + weight.square().sum())
            value.backward()
            return value

        optimizer.step(loss)
        with torch.no_grad():
            return said(inputs, hidden)

    return Added(fit, start, STRENGTHS[ATTENTION])


def projected(tokens: StepSet, learned: Tensor) -> tuple[Tensor, Tensor]:
    """Return each token's standardised components [n, LAST, WIDTH], and a mask of the missing tokens [n, LAST]."""
    states = tokens.states[TOKENS]
    hidden = torch.arange(LAST) >= tokens.states[COUNT]
    seen = states[learned][~hidden[learned]]
    with torch.random.fork_rng(devices=[]):
        torch.manual_seed(SEED)
        sample = seen[torch.randperm(len(seen))[:SAMPLED]].float()
        mean, deviation = sample.mean(0), sample.std(0).clamp_min(1e-6)
        axes = torch.pca_lowrank((sample - mean) / deviation, q=WIDTH, center=False, niter=2)[2]
    scale = (((sample - mean) / deviation) @ axes).std(0).clamp_min(1e-6)
    inputs = torch.cat([((part.float() - mean) / deviation) @ axes / scale for part in states.split(500)])
    return inputs.masked_fill(hidden[:, :, None], 0.0), hidden


def evened(odds: Tensor, targets: Tensor) -> tuple[Tensor, Tensor]:
    """Return log odds [n] as if wrong steps were as frequent as right ones, and the weights [n], 1 on average, for
    this. A fit on both does not shift a fold's odds as a whole: AUC is over the steps of all folds together.
    """
    right = targets.mean()
    return odds - right.logit(), torch.where(targets > 0.5, 1 / (2 * right), 1 / (2 * (1 - right)))


def recurrence(inputs: Tensor, steps: StepSet, start: Tensor) -> Added:
    """A GRU (Cho et al. 2014, arXiv 1406.1078) with HIDDEN units over the steps of a trace, in order. It sees the same
    inputs as the stacked head's regression, each block scaled the same (`inputs` [n, d]).
    """
    rows = [torch.nonzero(steps.traces == trace)[:, 0] for trace in steps.traces.unique()]
    seen = torch.cat([inputs, start[:, None]], 1)
    packed = pack_sequence([seen[one] for one in rows], enforce_sorted=False)
    place = pack_sequence(rows, enforce_sorted=False).data

    def fit(fitted: Tensor, l2: float) -> Tensor:
        with torch.random.fork_rng(devices=[]):
            torch.manual_seed(SEED)
            cell, last = nn.GRU(seen.shape[1], HIDDEN), nn.Linear(HIDDEN, 1)
        nn.init.zeros_(last.weight)
        nn.init.zeros_(last.bias)
        parameters = [*cell.parameters(), *last.parameters()]
        optimizer = torch.optim.Adam(parameters, lr=RATE)
        targets = steps.targets[fitted]
        before, weights = evened(start[fitted], targets)

        def said() -> Tensor:
            return torch.zeros_like(start).index_put((place,), last(cell(packed)[0].data)[:, 0])

        for _ in range(EPOCHS):
            optimizer.zero_grad()
            wrong = cross_entropy(before + said()[fitted], targets, weights, reduction="sum")
            shrunk = sum((one.square().sum() for one in parameters), torch.zeros(()))
            ((wrong + l2 / 2 * shrunk) / len(targets)).backward()
            optimizer.step()
        with torch.no_grad():
            return said()

    return Added(fit, start, STRENGTHS[RECURRENT])


class Read(NamedTuple):
    """A file's steps as the stacked head reads them, and the tokens of those steps."""

    steps: StepSet
    tokens: StepSet


def read(examples: Sequence[Example]) -> Read:
    """Read these traces; the model's states are cached on disk."""
    base = smollm2.convert(smollm2.BASE)
    steps, tokens = (collect(cache(base, STATES), examples, "steps", 0) for cache in (ReadingCache, TokenCache))
    tokens.states[TOKENS] = tokens.states[TOKENS].half()
    return Read(steps, tokens)


def splits(problems: Tensor) -> Iterator[tuple[Split, Tensor]]:
    """Yield the splits of bench/stacked_head.py, each with the steps that it holds out (a mask [n])."""
    for fitted, held in folds_of(problems, torch.ones(len(problems), dtype=torch.bool), OUTER, 0):
        yield Split(folds_of(problems, fitted, INNER, 1), fitted, None, "cross-validation"), held


def told(own: Read, others: StepSet | None) -> tuple[dict[str, Tensor], Json]:
    """Return each method's log odds [n] of every step, from the fold that had not seen its problem, and the L2 chosen
    per fold for each addition (None: left out).
    """
    steps, found = own.steps, dict[str, Tensor]()
    chosen: dict[str, list[float | None]] = {way: [] for way in ADDED}
    for split, held in splits(steps.problems):
        base = fit_stacked.fit_on(steps, split)
        odds = base.head.odds(stacked.joined(steps.states))
        start = torch.where(split.measured, base.tried.odds, odds)
        design = stacked.Design.of(steps.states, split.learned)
        inputs = design.inputs(steps.states) * design.scales(base.tried.strengths)
        added = {ATTENTION: attention(own.tokens, split, start), RECURRENT: recurrence(inputs, steps, start)}
        say_of = {STACKED: odds}
        for way, one in added.items():
            more, strength = one.chosen(split, steps.targets)
            say_of[way] = odds + more
            chosen[way].append(strength)
        if others is not None:
            say_of[BOTH] = with_others(steps, others, split)
        for way, said in say_of.items():
            found.setdefault(way, torch.zeros_like(odds))[held] = said[held]
        say(f"  a fold: {chosen}")
    if others is not None:
        found[OTHERS] = from_others(steps, others)
    return found, {"l2": chosen}


def joined_sets(sets: Sequence[StepSet]) -> StepSet:
    """Join the steps of several files as if they were one; problems and traces stay distinct."""
    problems, traces, before = [], [], (0, 0)
    for one in sets:
        problems.append(one.problems + before[0])
        traces.append(one.traces + before[1])
        before = int(problems[-1].max()) + 1, int(traces[-1].max()) + 1
    alike = {
        name: torch.cat([getattr(one, name) for one in sets]) for name in ("labels", "places", "lengths", "counted")
    }
    states = {name: torch.cat([one.states[name] for one in sets]) for name in sets[0].states}
    parts = [part for one in sets for part in one.parts]
    return StepSet(states, problems=torch.cat(problems), traces=torch.cat(traces), parts=parts, **alike)


def with_others(steps: StepSet, others: StepSet, split: Split) -> Tensor:
    """Return the odds [n] of a stacked head that also learned from other sets; strengths are chosen on the own fold."""
    both = joined_sets([steps, others])
    more = torch.ones(len(others.labels), dtype=torch.bool)
    folds = [(torch.cat([fitted, more]), torch.cat([held, ~more])) for fitted, held in split.folds]
    found = fit_stacked.fit_on(both, Split(folds, torch.cat([split.learned, more]), None, split.chosen_on))
    return found.head.odds(stacked.joined(steps.states))


def from_others(steps: StepSet, others: StepSet) -> Tensor:
    """Return the odds [n] of a stacked head that learned from other sets alone."""
    everything = torch.ones(len(others.labels), dtype=torch.bool)
    split = Split(folds_of(others.problems, everything, INNER, 1), everything, None, "cross-validation")
    return fit_stacked.fit_on(others, split).head.odds(stacked.joined(steps.states))


def characters(example: Example) -> int:
    """Return the length of a trace with its problem."""
    return len(example.problem) + sum(map(len, example.steps))


def measured(name: str, own: Read, others: Mapping[str, StepSet]) -> Json:
    """Return all metrics of a file."""
    began = time.monotonic()
    odds, about = told(own, joined_sets(list(others.values())) if others else None)
    steps = own.steps
    ways = {way: metrics_of(steps, Told(torch.stack([one, one]), None), way) for way, one in odds.items()}
    for way in ways:
        ways[way] = {figure: ways[way][figure] for figure in ("auc", "auc_given_position")}
    found: Json = {
        "traces": int(steps.traces.max()) + 1,
        "steps": len(steps.labels),
        "wrong": int((steps.targets < 0.5).sum()),
        "longer_steps": float((own.tokens.states[COUNT] >= LAST).float().mean()),
        "others": list(others),
        "ways": ways,
        "gains": {way: gain(steps, one, odds[STACKED]) for way, one in odds.items() if way != STACKED},
        **about,
    }
    say(f"{name}: {json.dumps({way: one['auc'] for way, one in ways.items()})}, {time.monotonic() - began:.0f} s")
    return found


def keep(name: str, found: Json) -> None:
    """Add a file's metrics to the results."""
    results = json.loads(RESULTS.read_text()) if RESULTS.exists() else {"files": {}}
    results |= {"measured_at": datetime.now(UTC).isoformat(timespec="seconds"), "machine": machine()}
    results["files"][name] = found
    RESULTS.write_text(json.dumps(results, indent=1) + "\n")


def page(results: Json) -> list[str]:
    """Return the table of docs/training.md."""
    machine = f"{results['machine']['cores']} cores of {results['machine']['cpu']}, no GPU"
    files = sorted(results["files"].items())
    return [
        f"Measured {results['measured_at'][:10]}, {machine}; `python -m bench.beyond_stacked`. Step AUC as above. "
        "The line below it is the gain over the stacked head, with the 95 % bootstrap interval over problems.",
        "",
        *table(("labels", "traces", *WAYS), [line for one in files for line in rows(*one)]),
        "",
        *(f"- {name}: {sentence(found)}" for name, found in files),
    ]


def rows(name: str, found: Json) -> list[tuple[str, ...]]:
    """Return a file's AUCs, with the gains in the row below."""
    values = (f"{found['ways'][way]['auc']:.3f}" if way in found["ways"] else "" for way in WAYS)
    gained = (gain_words(found["gains"][way]) if way in found["gains"] else "" for way in WAYS)
    return [(name, which(found), *values), ("", "", *gained)]


def which(found: Json) -> str:
    """Say which of a file's traces were read."""
    if "longest" not in found:
        return traces_of(found)
    return f"{found['traces']} of {found['of']}: at most {found['longest']:,} characters"


def gain_words(one: Json) -> str:
    """Format a gain with its interval."""
    return f"{signed(one['value'])} [{signed(one['low'])}, {signed(one['high'])}]"


def sentence(found: Json) -> str:
    """Say in how many folds each addition was left out, and which other sets a file had."""
    left = ", ".join(f"{found['l2'][way].count(None)} of {len(found['l2'][way])} ({way})" for way in ADDED)
    others = ", ".join(found["others"]) or "none"
    return (
        f"addition left out in folds: {left}; share of steps with {LAST} tokens or more, of which attention saw only "
        f"the last {LAST}: {found['longer_steps']:.0%}; other sets: {others}."
    )


def main(arguments: Sequence[str] | None = None) -> int:
    """Measure the named files and write the results and the page."""
    parser = argparse.ArgumentParser(prog="python -m bench.beyond_stacked", description=__doc__.splitlines()[0])
    parser.add_argument("files", nargs="*", help="none: only the page, from the results that there are")
    parser.add_argument("--most", type=int, help="traces of each file: the first ones, where all would take too long")
    parser.add_argument("--threads", type=int, default=2)
    asked = parser.parse_args(arguments)
    torch.set_num_threads(asked.threads)
    sets, parts = dict[str, Read](), dict[str, Json]()
    for name, _, longest in (one.partition(":") for one in asked.files):
        examples = examples_of(name)
        short = [one for one in examples if not longest or characters(one) <= int(longest)]
        sets[name] = read(short[: asked.most])
        parts[name] = {"longest": int(longest)} if longest else {}
        parts[name] |= {"of": len(examples)} if longest or asked.most else {}
    for name, own in sets.items():
        found = measured(name, own, {other: one.steps for other, one in sets.items() if other != name})
        keep(name, found | parts[name])
    put_between(PAGE, BEGIN, END, [*page(json.loads(RESULTS.read_text())), ""])
    return 0


if __name__ == "__main__":
    sys.exit(main())
