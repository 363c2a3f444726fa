"""How many labels a way of choosing traces saves: `python -m bench.label_efficiency`.

Replays recorded human verdicts of ../shared/data as the labels of several rounds, for random choice, for convincing
wrong answers (80/20) and for two ways of asking where the PRM is in doubt, at equal budgets. Writes
bench/results/label_efficiency.json, the figures of docs/active-learning.md and pictures beside it.
"""

import argparse
import hashlib
import json
import sys
import time
from collections import Counter
from collections.abc import Mapping, Sequence
from concurrent.futures import ProcessPoolExecutor
from functools import partial
from multiprocessing import get_context
from typing import Any

import torch

from bench import label_efficiency_report, smollm2
from bench.__main__ import keep
from bench.active_learning import SHARED
from bench.progress import say
from bench.replay import (
    HELD_OUT,
    STRATEGIES,
    STRENGTHS,
    Json,
    Recorded,
    first_labels,
    read,
    replay,
    selector_of,
    with_states,
)
from bench.savings import summary
from worker.prm.states import StateCache

# Files that say of each trace what people found and whether its answer is right, and how many characters a trace may
# have with its problem: states of all of them would take an hour.
POOLS = {
    "mrben_physics": {"mrben_physics": 1400},
    "processbench": {"processbench_gsm8k": 2000, "processbench_math": 1000},
}
LAYERS = (15,)  # of 30; the middle one, named beforehand so that nothing is chosen on what is measured
BUDGETS = tuple(range(20, 121, 25))
FURTHER = (160, 200, 240)  # random alone: how many labels it needs for what another strategy reached
SEEDS = 6
STATES, SEEN = "var/states", "var/label-efficiency"


def traces_of(files: Mapping[str, int]) -> tuple[list[Recorded], Json]:
    """The traces of a pool with their states, and what is to be said of them."""
    parts = [read(SHARED / f"{name}.jsonl", longest) for name, longest in files.items()]
    rows = [row for some, _left_out in parts for row in some]
    left_out = sum((some for _rows, some in parts), Counter[str]())
    cache = StateCache(smollm2.step_classifier(), label_efficiency_report.ROOT / STATES, LAYERS)
    began = time.monotonic()
    found = with_states(rows, cache, lambda done, total: None if done % 100 else say(f"  states: {done} of {total}"))
    wrong = [one for one in found if one.candidate.outcome == "wrong"]
    return found, {
        "files": list(files),
        "traces": len(found),
        "problems": len({one.problem for one in found}),
        "steps": sum(one.rated for one in found),
        "errors": sum(one.first_error >= 0 for one in found),
        "wrong_answers": len(wrong),
        "errors_in_wrong_answers": sum(one.first_error >= 0 for one in wrong),
        "left_out": dict(left_out),
        "state_seconds": round(time.monotonic() - began, 1),
    }


def one_seed(task: tuple[int, str], budgets: Sequence[int], further: Sequence[int]) -> dict[str, list[Json]]:
    """All strategies over one split and one first draw of labels; kept, so that a run that was stopped goes on."""
    seed, pool = task
    facts = json.dumps([POOLS[pool], LAYERS, [*budgets], [*further], list(STRATEGIES), STRENGTHS, HELD_OUT, seed])
    file = label_efficiency_report.ROOT / SEEN / f"{pool}-{hashlib.sha256(facts.encode()).hexdigest()[:16]}.json"
    if not file.exists():
        torch.set_num_threads(1)
        traces = traces_of(POOLS[pool])[0]
        first = selector_of(first_labels(traces, budgets[0], seed), LAYERS)
        found = {
            name: replay(traces, strategy, [*budgets, *further] if name == "random" else budgets, LAYERS, seed, first)
            for name, strategy in STRATEGIES.items()
        }
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(json.dumps(found))
        say(f"{pool}, seed {seed}")
    return dict(json.loads(file.read_text()))


def measure(names: Sequence[str], seeds: int, processes: int, *, quick: bool) -> dict[str, Any]:
    """Each pool over all seeds."""
    budgets, further = (BUDGETS[:3], ()) if quick else (BUDGETS, FURTHER)
    pools = {name: traces_of(POOLS[name])[1] for name in names}
    say("the states are there")
    tasks = [(seed, name) for seed in range(seeds) for name in names]
    with ProcessPoolExecutor(processes, get_context("spawn")) as team:
        runs = list(team.map(partial(one_seed, budgets=budgets, further=further), tasks))
    for name in names:
        pools[name] |= summary([run for run, (_seed, of) in zip(runs, tasks, strict=True) if of == name])
    return {"layers": list(LAYERS), "seeds": seeds, "pools": pools}


def main(arguments: Sequence[str] | None = None) -> int:
    """Measure and write."""
    parser = argparse.ArgumentParser(prog="python -m bench.label_efficiency", description=__doc__.splitlines()[0])
    parser.add_argument("pools", nargs="*", choices=[*POOLS, []], help="default: all")
    parser.add_argument("--seeds", type=int, default=SEEDS)
    parser.add_argument("--processes", type=int, default=1)
    parser.add_argument("--quick", action="store_true", help="a few rounds, to see that it works; nothing is kept")
    options = parser.parse_args(arguments)
    found = measure(options.pools or list(POOLS), options.seeds, options.processes, quick=options.quick)
    keep("label_efficiency", found, unless=options.quick)
    if not options.quick:
        label_efficiency_report.write()
    return 0


if __name__ == "__main__":
    sys.exit(main())
