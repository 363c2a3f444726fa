"""What each fused part of a layer contributes to scoring on a CPU thread: `python -m bench.prm_fused [--quick]`.

The same weights and traces, SmolLM2-135M in every type that this processor multiplies natively, in one run. Variants
take turns, and the fastest of several turns counts, in CPU seconds. Each starts from the stock modules of transformers
with the attention over trees and the products that are faster here, and adds one part. Writes
bench/results/prm_fused.json and its table in docs/benchmarks.md.
"""

import argparse
import json
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from datetime import UTC, datetime
from typing import Any
from unittest.mock import patch

import torch
from torch import Tensor, nn
from torch.nn.functional import scaled_dot_product_attention

from bench import report
from bench.machine import machine
from bench.prm_scoring import MEASURED, describe, matmul_peak, scorer_of
from bench.prm_traces import Composer, Problem, data_folder, recorded
from bench.progress import say
from bench.smollm2 import step_classifier
from worker.prm import attention, backbone, kernels
from worker.prm.scoring import LocalScorer

Json = dict[str, Any]
RESULT = report.RESULTS / "prm_fused.json"
STOCK, NORM, MLP, ATTENTION, ALL, TORCH = (
    *("stock modules", "fused norm", "gated MLP in place", "fused rotary embedding and projections", "all three"),
    "all three, attention by torch's own module",
)
TURNS, TRACES = 3, 8


def measure(*, quick: bool = False) -> Json:
    """Measure all variants over each set, or return why nothing can be measured."""
    folder = data_folder()
    if folder is None:
        return {"skipped": "no shared traces: set STEPMARK_SHARED_DATA"}
    model = step_classifier()
    torch.set_num_threads(1)
    composer = Composer(recorded(folder, "gsm8k_openai"), seed=3)
    count = 2 if quick else TRACES
    sets = {"sampled": composer.sampled(1, count), "trees": composer.trees(1, count)}
    peaks: dict[str, float] = {}
    found: Json = {"turns": 1 if quick else TURNS, "traces": count, "types": {}, "matmul_gflops": peaks}
    with torch.inference_mode():
        for dtype in MEASURED:
            variants = {name: loaded(model, dtype, name) for name in (STOCK, NORM, MLP, ATTENTION, ALL)}
            peaks[dtype] = matmul_peak(variants[ALL].family.decoder.config, MEASURED[dtype])
            found["types"][dtype] = {
                name: compared(variants, problems, found["turns"], peaks[dtype]) for name, problems in sets.items()
            }
            say(f"{dtype}: {json.dumps(found['types'][dtype])}")
    return found


def loaded(model: Any, dtype: str, name: str) -> LocalScorer:
    """Load the scorer with the variant's parts; other parts are as in transformers."""
    parts = {NORM: ["norm"], MLP: ["mlp"], ATTENTION: ["attention"], ALL: ["norm", "mlp", "attention"]}.get(name, [])
    nothing: Callable[[nn.Module], None] = lambda model: None  # noqa: E731
    norms = kernels.STOCK_NORMS if "norm" in parts else ()
    gated = kernels.GatedMlp if "mlp" in parts else StockMlp
    fuse = backbone.fuse_attention if "attention" in parts else nothing
    with (
        patch.object(kernels, "STOCK_NORMS", norms),
        patch.object(kernels, "GatedMlp", gated),
        patch.object(backbone, "fuse_attention", fuse),
    ):
        return scorer_of(model, dtype)


class StockMlp(kernels.GatedMlp):
    """The MLP as in transformers: silu and product in separate passes, each into a new tensor."""

    def forward(self, inputs: Tensor) -> Tensor:
        found: Tensor = self.down(torch.nn.functional.silu(self.gate(inputs)) * self.up(inputs))
        return found


@contextmanager
def torch_attention(whether: bool) -> Iterator[None]:
    """Route attention blocks through torch's own fused attention while active."""

    def attend(query: Tensor, key: Tensor, value: Tensor, mask: Tensor, scaling: float) -> Tensor:
        masks = mask.expand(1, len(query), -1, -1)
        return scaled_dot_product_attention(query[None], key[None], value[None], attn_mask=masks, scale=scaling)[0]

    if not whether:
        yield
        return
    with patch.object(attention, "attend_batched", attend), patch.object(attention, "attend_float32", attend):
        yield


def compared(variants: dict[str, LocalScorer], problems: list[Problem], turns: int, peak: float) -> Json:
    """Return for each variant the seconds, the speed-up over the stock modules, the share of the matmul rate, and the
    largest difference of P.
    """
    ways = {**variants, TORCH: variants[ALL]}
    seconds = dict.fromkeys(ways, float("inf"))
    said: dict[str, list[float]] = {}
    for _ in range(turns):
        for name, scorer in ways.items():
            with torch_attention(name == TORCH):
                began = time.process_time()
                scores = [score for text, traces in problems for score in scorer.score(text, traces)]
                seconds[name] = min(seconds[name], time.process_time() - began)
            said[name] = [step for score in scores for step in score.steps or []]
    work = describe(variants[ALL], problems)["all_gflop"](variants[ALL].family.decoder.config)
    return {
        name: {
            "seconds": round(spent, 2),
            "gain": round(seconds[STOCK] / spent, 3),
            "share": round(work / spent / peak, 3),
            "difference": max(abs(one - other) for one, other in zip(said[STOCK], said[name], strict=True)),
        }
        for name, spent in seconds.items()
    }


def main() -> int:
    """Measure, and write the result and its table."""
    parser = argparse.ArgumentParser(prog="python -m bench.prm_fused", description=__doc__)
    parser.add_argument("--quick", action="store_true", help="two traces once, to see that it works; nothing is kept")
    options = parser.parse_args()
    found = measure(quick=options.quick)
    if "skipped" in found:
        say(found["skipped"])
    elif not options.quick:
        found |= {"measured_at": datetime.now(UTC).isoformat(timespec="seconds"), "machine": machine()}
        RESULT.write_text(json.dumps(found, indent=1) + "\n")
        report.write()
    return 0


if __name__ == "__main__":
    sys.exit(main())
