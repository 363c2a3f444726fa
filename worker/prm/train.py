"""`python -m worker.prm.train DATA.jsonl … OUT --base FOLDER`: a reward model from labeled traces.

DATA is in the neutral format (docs/formats.md). OUT becomes a token classifier as safetensors that plain transformers
loads and the family `step_classifier` scores with, with `meta.json` and a model card. `--method head` (the default,
made for a CPU) fits a head on a frozen base; `stacked` fits one that reads more of it, for the family `stacked_head`;
`lora` and `full` train the base too. After being killed at any moment, the same call resumes and gives the same
weights. On several GPUs: `torchrun --nproc-per-node N -m worker.prm.train …`.
"""

import argparse
import json
import sys
from collections.abc import Sequence
from dataclasses import fields
from pathlib import Path
from typing import Any

import torch

from worker.prm.errors import PrmError
from worker.prm.examples import NEUTRAL
from worker.prm.families.step_classifier import SEPARATORS
from worker.prm.finetune import fine_tune
from worker.prm.fit_head import fit_head
from worker.prm.fit_stacked import fit_stacked
from worker.prm.options import CLASS_WEIGHTS, FROZEN, METHODS, STACKED, TARGETS, Progress, Stop, TrainOptions

HELP = {"synthetic-errors": "lora, full: wrong steps to make for each right one in each epoch; 0"}
SHOWN = ("method", "layer", "test", "test_position_and_length_only", "beats_baseline", "notes", "seconds")


def train(
    data: Sequence[Path],
    out: Path,
    options: TrainOptions,
    *,
    progress: Progress = lambda _event: None,
    stop: Stop = lambda: False,
) -> dict[str, Any]:
    """Train on these files, write the checkpoint to `out`, return what its meta.json holds.

    `progress` receives every step: {"stage": states | fit | train | validate | written, "done", "total", …metrics}.
    `stop` is called between steps. Raises StoppedError (the same call resumes later), TrainingError, other PrmErrors.
    """
    options.check()
    if options.method == STACKED:
        return fit_stacked(data, out, options, progress, stop)
    if options.method not in FROZEN:
        return fine_tune(data, out, options, progress, stop)
    return fit_head(
        options.base,
        out,
        data,
        cache_folder=options.cache,
        layers=options.layers,
        neutral=options.neutral,
        target=options.target,
        seed=options.seed,
        separator=options.separator,
        observed=options.observed,
        lineage=options.lineage,
        progress=progress,
        stop=stop,
    )


def parser() -> argparse.ArgumentParser:
    """Return the parser of the command line; options are those of TrainOptions."""
    found = argparse.ArgumentParser(prog="python -m worker.prm.train", description=__doc__.splitlines()[0])
    found.add_argument("data", type=Path, nargs="+", help="labeled traces in the neutral format")
    found.add_argument("out", type=Path, help="where the checkpoint goes")
    found.add_argument("--base", type=Path, required=True, help="a folder with a causal language model as safetensors")
    found.add_argument("--method", choices=METHODS)
    found.add_argument("--target", choices=TARGETS, help="steps: a PRM; outcome: an ORM; progress: both heads of a PAV")
    found.add_argument("--neutral", choices=list(NEUTRAL), help="what a rating of 0 counts as; keep3: three labels")
    found.add_argument("--separator", choices=SEPARATORS, help="what follows each step")
    found.add_argument("--seed", type=int, help="of the split by problem, the order of the data and new weights")
    found.add_argument("--layers", type=int, nargs="*", help="head: layers to choose from; else: cut off after it")
    found.add_argument("--cache", type=Path, help="head: folder of cached states")
    for name in ("epochs", "batch", "tokens", "patience", "save-every", "rank", "alpha", "synthetic-errors"):
        found.add_argument(f"--{name}", type=int, help=HELP.get(name, "lora, full"))
    for name in ("learning-rate", "head-learning-rate", "weight-decay", "warm-up", "clip"):
        found.add_argument(f"--{name}", type=float, help="lora, full")
    found.add_argument("--class-weights", choices=CLASS_WEIGHTS, help="lora, full: balanced, or as they come")
    found.add_argument("--dtype", choices=["float32", "bfloat16"], help="lora, full: bfloat16 on GPU, else float32")
    found.add_argument("--gradient-checkpointing", action=argparse.BooleanOptionalAction, help="lora, full")
    found.add_argument("--threads", type=int, default=0, help="CPU threads; 0 leaves it to torch")
    return found


def show(event: dict[str, Any]) -> None:
    """Print one line per step, for a terminal or a log."""
    print(json.dumps(event), file=sys.stderr, flush=True)


def main(arguments: Sequence[str] | None = None) -> int:
    """Train. Return 0 if a checkpoint was written, 1 after printing the reason if not."""
    asked = parser().parse_args(arguments)
    if asked.threads:
        torch.set_num_threads(asked.threads)
    known = {item.name for item in fields(TrainOptions)}
    given = {name: value for name, value in vars(asked).items() if name in known and value is not None}
    if "layers" in given:
        given["layers"] = tuple(given["layers"])
    try:
        meta = train(asked.data, asked.out, TrainOptions(**given), progress=show)
    except PrmError as error:
        print(error, file=sys.stderr)
        return 1
    print(json.dumps({name: meta.get(name) for name in SHOWN}, indent=1))
    return 0


if __name__ == "__main__":
    sys.exit(main())
