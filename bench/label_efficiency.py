"""How many labels a selection method saves: `python -m bench.label_efficiency [POOL …] [--learner stacked]`.

Replays recorded human verdicts of ../shared/data as the labels of several rounds, at equal budgets, for five methods:
random choice, convincing wrong answers (80/20), two ways to ask where the PRM is in doubt, and typical traces. The PRM
is the head on one layer or the stacked head. Adds the measurements to bench/results/label_efficiency.json, which keeps
the results of other pools and learners, and writes the figures and pictures of docs/active-learning.md. Results are
saved per seed, so an interrupted run continues where it stopped.
"""

import argparse
import hashlib
import json
import sys
import time
from collections import Counter
from collections.abc import Sequence
from concurrent.futures import ProcessPoolExecutor
from datetime import UTC, datetime
from functools import cache, partial
from multiprocessing import get_context
from typing import NamedTuple

import torch

from bench import label_efficiency_report, smollm2
from bench.active_learning import SHARED
from bench.label_efficiency_report import RESULT
from bench.machine import machine
from bench.progress import say
from bench.replay import (
    HELD_OUT,
    LEARNERS,
    STRENGTHS,
    WAYS,
    Json,
    Recorded,
    first_labels,
    read,
    replay,
    with_states,
)
from bench.savings import summary, table
from worker.prm import stacked
from worker.prm.states import ReadingCache, StateCache, TraceCache


class Pool(NamedTuple):
    """Files with the most characters that a trace may have including its problem (states of all traces would take
    hours); `budgets`, the numbers of labels at which there is a round; and `further` budgets for random alone, which
    show how many labels it needs to reach what another method reached.
    """

    files: dict[str, int]
    budgets: tuple[int, ...] = (20, 45, 70, 95, 120)
    further: tuple[int, ...] = (160, 200, 240)


# Files that record for each trace what people found and whether its answer is right. Alone, GSM8K has too few wrong
# answers for a third round after the first.
POOLS = {
    "processbench_gsm8k": Pool({"processbench_gsm8k": 2000}, (20, 45, 70), (95, 120)),
    "mrben_physics": Pool({"mrben_physics": 1400}),
    "processbench_math": Pool({"processbench_math": 1400}, (20, 45, 70), (95, 120)),
    "processbench": Pool({"processbench_gsm8k": 2000, "processbench_math": 1000}),
    "bbmistake_multistep_arithmetic": Pool({"bbmistake_multistep_arithmetic": 2000}, further=(160, 200)),
}
LAYERS = (15,)  # of 30: the middle one, fixed beforehand so that nothing is chosen on the measured data
SEEDS = 10
STATES, READINGS, SEEN = "var/states", "var/models/quality/states", "var/label-efficiency"


def cache_of(learner: str) -> TraceCache:
    """Return the cache of the states that the learner reads."""
    root = label_efficiency_report.ROOT
    if learner == "stacked":
        return ReadingCache(smollm2.convert(smollm2.BASE), root / READINGS)
    return StateCache(smollm2.step_classifier(), root / STATES, LAYERS)


@cache
def traces_of(name: str, learner: str) -> tuple[list[Recorded], Json]:
    """Return the traces of a pool with the states that the learner reads, and facts about the pool."""
    pool = POOLS[name]
    parts = [read(SHARED / f"{file}.jsonl", longest) for file, longest in pool.files.items()]
    rows = [row for some, _left_out in parts for row in some]
    left_out = sum((some for _rows, some in parts), Counter[str]())
    began = time.monotonic()
    found = with_states(
        rows, cache_of(learner), lambda done, total: None if done % 100 else say(f"  states: {done} of {total}")
    )
    wrong = [one for one in found if one.candidate.outcome == "wrong"]
    return found, {
        "files": list(pool.files),
        "traces": len(found),
        "problems": len({one.problem for one in found}),
        "steps": sum(one.rated for one in found),
        "errors": sum(one.first_error >= 0 for one in found),
        "wrong_answers": len(wrong),
        "errors_in_wrong_answers": sum(one.first_error >= 0 for one in wrong),
        "left_out": dict(left_out),
        "state_seconds": round(time.monotonic() - began, 1),
    }


def one_seed(seed: int, name: str, learner: str, pool: Pool) -> dict[str, list[Json]]:
    """Replay all methods over one split and one first draw of labels; save the result so that a run can continue."""
    reads = [stacked.LINES, stacked.COMPONENTS] if learner == "stacked" else [LAYERS, STRENGTHS]
    ways = {name: str(way.mix) for name, way in WAYS.items()}
    facts = json.dumps([learner, *pool, reads, ways, HELD_OUT, seed])
    folder = label_efficiency_report.ROOT / SEEN
    file = folder / f"{name}-{learner}-{hashlib.sha256(facts.encode()).hexdigest()[:16]}.json"
    if not file.exists():
        torch.set_num_threads(1)
        traces, learn = traces_of(name, learner)[0], LEARNERS[learner]
        first = learn(first_labels(traces, pool.budgets[0], seed))
        asked = {way: (*pool.budgets, *pool.further) if way == "random" else pool.budgets for way in WAYS}
        found = {way: replay(traces, WAYS[way], some, learn, seed, first) for way, some in asked.items()}
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(json.dumps(found))
        say(f"{name}, {learner}, seed {seed}")
    return dict(json.loads(file.read_text()))


def measure(name: str, learner: str, seeds: int, processes: int, *, quick: bool) -> Json:
    """Measure one pool with one learner over all seeds."""
    pool = POOLS[name]._replace(budgets=POOLS[name].budgets[:3], further=()) if quick else POOLS[name]
    facts = traces_of(name, learner)[1]
    say(f"{name}, {learner}: what it reads is there")
    task = partial(one_seed, name=name, learner=learner, pool=pool)
    if processes == 1:
        runs = [task(seed) for seed in range(seeds)]
    else:
        with ProcessPoolExecutor(processes, get_context("spawn")) as team:
            runs = list(team.map(task, range(seeds)))
    now = datetime.now(UTC).isoformat(timespec="seconds")
    by_seed = {way: table(runs, way, "auc").tolist() for way in WAYS}
    about = {"measured_at": now, "machine": machine(), "seeds": seeds, **facts}
    return {**about, **summary(runs), "auc_by_seed": by_seed}


def keep(name: str, learner: str, found: Json) -> None:
    """Add the figures of one pool with one learner to the results."""
    results = json.loads(RESULT.read_text()) if RESULT.exists() else {"pools": {}}
    results["pools"].setdefault(name, {})[learner] = found
    results |= {"measured_at": found["measured_at"], "machine": found["machine"]}
    RESULT.write_text(json.dumps(results, indent=1) + "\n")


def main(arguments: Sequence[str] | None = None) -> int:
    """Measure the named pools, save the results, and write the page."""
    parser = argparse.ArgumentParser(prog="python -m bench.label_efficiency", description=__doc__.splitlines()[0])
    parser.add_argument("pools", nargs="*", choices=[*POOLS, []], help="default: all")
    parser.add_argument("--learner", choices=list(LEARNERS), default="head", help="head: on one layer")
    parser.add_argument("--seeds", type=int, default=SEEDS)
    parser.add_argument("--processes", type=int, default=1)
    parser.add_argument("--quick", action="store_true", help="a few rounds, to see that it works; nothing is kept")
    options = parser.parse_args(arguments)
    for name in options.pools or list(POOLS):
        found = measure(name, options.learner, options.seeds, options.processes, quick=options.quick)
        if not options.quick:
            keep(name, options.learner, found)
    if not options.quick:
        label_efficiency_report.write()
    return 0


if __name__ == "__main__":
    sys.exit(main())
