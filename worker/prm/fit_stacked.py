"""A stacked head from labeled traces: several layers, means over steps, surprise, and checks, on a frozen model.

It works like `fit_head`, but reads more (worker/prm/step_readings.py), with a regression that shrinks each block
separately (worker/prm/stacked.py). OUT is the whole language model with the head, for the family `stacked_head`; plain
transformers cannot load it, as the model card says. Readings are kept on disk: fitting again computes only those of new
traces.
"""

import json
import time
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

import torch
from safetensors.torch import save_file
from torch import Tensor

from worker.prm import checkpoint_writer, metrics, stacked
from worker.prm.card import model_card
from worker.prm.checkpoint import Checkpoint
from worker.prm.choice_worth import curves, refits
from worker.prm.examples import read_examples
from worker.prm.families.stacked_head import LM_HEAD, OURS
from worker.prm.fit_head import FEW, Choice, Split, collect, report, split_of
from worker.prm.kernels import one_thread
from worker.prm.options import Counted, Progress, Stop, TrainOptions, silent
from worker.prm.states import ReadingCache
from worker.prm.step_checks import VERSION
from worker.prm.step_readings import Layers
from worker.prm.step_set import StepSet
from worker.prm.whole_files import whole

NOTE = "Only Stepmark loads this head: it reads several layers and the model's own predictions."


def fit_stacked(
    data: Sequence[Path], out: Path, options: TrainOptions, progress: Progress, stop: Stop
) -> dict[str, Any]:
    """Fit, measure and write a checkpoint. Return what `meta.json` holds. Raises PrmError."""
    began = time.monotonic()
    Counted(progress, "loading", 0)
    cache = ReadingCache(options.base, options.cache, options.separator)
    examples = list(read_examples(data, options.neutral, options.target))
    steps = collect(cache, examples, options.target, options.seed, progress, stop)
    cached = time.monotonic()
    split = split_of(steps)
    found = fit_on(steps, split, progress=progress)
    tried = found.tried
    progress({"stage": "fit", "done": len(tried.tried), "total": len(tried.tried)})
    odds = found.head.odds(stacked.joined(steps.states))
    checkpoint = cache.decoder.checkpoint
    choice = Choice(cache.layers.mean, tried.strengths.wide, tried.odds, tried.tried)
    meta = {
        **checkpoint_writer.about(checkpoint, cache.checksum, data, examples, options),
        "layers": list(cache.layers.all),
        "l2": stacked.finite(tried.strengths),
        "checks": VERSION,
        "heads": len(found.drawn),
        "tried": tried.tried,
        "chosen_on": split.chosen_on,
        **measured(steps, split, choice, odds, found),
        "notes": [NOTE],
        "seconds": {"states": round(cached - began, 1), "fit": round(time.monotonic() - cached, 1)},
        **curves_of(steps, split, tried.strengths, options.seed, progress, stop),
    }
    Counted(progress, "writing", 0)
    write(out, checkpoint, cache.layers, found, meta)
    progress({"stage": "written", "done": 1, "total": 1})
    return meta


class Fitted(NamedTuple):
    """The calibrated head; what was tried, with calibrated odds; the effect of Platt's scaling, odds * slope + shift;
    and the heads fitted on resampled problems, scaled the same way.
    """

    head: stacked.LinearHead
    tried: stacked.Tried
    slope: float
    shift: float
    drawn: list[stacked.LinearHead]

    def before(self, odds: Tensor) -> Tensor:
        """Return calibrated odds as they were before calibration."""
        return (odds - self.shift) / self.slope


def measured(steps: StepSet, split: Split, choice: Choice, odds: Tensor, found: Fitted) -> dict[str, Any]:
    """Return fit_head.report; its `before` is before Platt's scaling, which is used instead of a temperature."""
    said = report(steps, split, choice, odds, 1.0)
    unseen, seen = (split.measured, choice.odds) if split.test is None else (split.test, odds)
    before = metrics.calibration(found.before(seen[unseen]), steps.targets[unseen])
    scaling = {"temperature": 1 / found.slope, "shift": found.shift, "before": before}
    return {**said, "calibration": {**said["calibration"], **scaling}}


def fit_on(
    steps: StepSet,
    split: Split,
    lines: Mapping[str, Sequence[float]] = stacked.LINES,
    progress: Progress = silent,
) -> Fitted:
    """Choose strengths, fit on all steps that may be learned, and calibrate on those that choosing measured. `lines`
    are the strengths that are tried.
    """
    with one_thread(len(steps.labels) <= FEW):
        design = stacked.Design.of(steps.states, split.learned)
        inputs = design.inputs(steps.states)
        heads = Counted(progress, "heads", stacked.candidates(lines) * len(split.folds))
        tried = stacked.choose(design, inputs, steps.labels, steps.weights, split.folds, lines, fitted=heads.add)
        scales = design.scales(tried.strengths)
        scaled, labels = inputs[split.learned] * scales, steps.labels[split.learned]
        weights = steps.weights_of(split.learned)
        head = stacked.fit_scaled(scaled, labels, weights)
        again = Counted(progress, "draws", stacked.HEADS)
        drawn = stacked.drawn_anew(scaled, labels, weights, steps.problems[split.learned], head, again.add)
    slope, shift = stacked.platt(tried.odds[split.measured], steps.targets[split.measured])
    calibrated = tried._replace(odds=torch.where(split.measured, tried.odds * slope + shift, tried.odds))
    final, *others = (design.raw(one, scales).bent(slope, shift) for one in (head, *drawn))
    return Fitted(final, calibrated, slope, shift, others)


def curves_of(
    steps: StepSet, split: Split, strengths: stacked.Strengths, seed: int, progress: Progress, stop: Stop
) -> dict[str, Any]:
    """Return the curves of the chosen strengths, on the components of all steps that may be learned."""
    with one_thread(len(steps.labels) <= FEW):
        design = stacked.Design.of(steps.states, split.learned)
        scaled = design.inputs(steps.states) * design.scales(strengths)

        def refit(fitted: Tensor, measured: Tensor) -> Tensor:
            head = stacked.fit_scaled(scaled[fitted], steps.labels[fitted], steps.weights_of(fitted))
            heads.add()
            return head.odds(scaled[measured])

        heads = Counted(progress, "curve", refits(steps))
        return curves(steps, refit, seed, stop)


def write(out: Path, base: Checkpoint, layers: Layers, found: Fitted, meta: dict[str, Any]) -> None:
    """Write the base's weights, the heads, a config.json that says what they read, and the
    files of checkpoint_writer.
    """
    out.mkdir(parents=True, exist_ok=True)
    for name in checkpoint_writer.COPIED:
        if (base.folder / name).exists():
            checkpoint_writer.replace(out / name, (base.folder / name).read_bytes())
    reads = {"ends": list(layers.ends), "mean": layers.mean, "checks": VERSION, "heads": len(found.drawn)}
    config = {**base.config, OURS: reads}
    checkpoint_writer.replace(out / "config.json", (json.dumps(config, indent=1) + "\n").encode())
    kept = {name: shape for name, shape in base.shapes.items() if name.startswith("model.") or name == LM_HEAD}
    tensors: dict[str, Tensor] = base.read(kept, torch.float32, torch.device("cpu"))
    tensors |= {"head.weight": found.head.weight[None], "head.bias": found.head.bias.reshape(1)}
    tensors |= {
        "drawn.weight": torch.stack([one.weight for one in found.drawn]),
        "drawn.bias": torch.stack([one.bias for one in found.drawn]),
    }
    part = out / "model.safetensors.part"
    with whole(out / "model.safetensors", part):
        save_file({name: one.contiguous() for name, one in tensors.items()}, part, metadata={"format": "pt"})
    checkpoint_writer.replace(out / "README.md", model_card(meta).encode())
    checkpoint_writer.replace(out / "meta.json", (json.dumps(meta, indent=1, allow_nan=False) + "\n").encode())
