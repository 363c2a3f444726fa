"""Trains decoder and head together, fully or with adapters (LoRA).

One optimiser step covers `batch` traces, however many fit into memory at once: they are packed, each pack's gradients
are added up, and the loss is the weighted mean over all targets of the step. So the size of packs, and the number of
processes that share them, change nothing but rounding.
"""

import hashlib
import json
import math
import time
from collections.abc import Sequence
from pathlib import Path
from random import Random
from typing import Any

import torch
from torch import Tensor
from torch.nn.functional import cross_entropy

from worker.prm import checkpoint_writer, metrics
from worker.prm.backbone import stock_config
from worker.prm.checkpoint import Checkpoint
from worker.prm.errors import StoppedError, TrainingError
from worker.prm.examples import describe
from worker.prm.families.step_classifier import StepLayout
from worker.prm.forward import is_out_of_memory
from worker.prm.options import Counted, Progress, Stop, TrainOptions, silent
from worker.prm.packing import Sample, made_of, pack, shared_out, weights_of
from worker.prm.processes import Processes, processes
from worker.prm.step_model import StepModel
from worker.prm.synthetic_errors import WEIGHT as MADE_WEIGHT
from worker.prm.synthetic_errors import with_made
from worker.prm.text import Text
from worker.prm.training_data import Measured, known, read_data, report, running_sum
from worker.prm.training_state import Run, TrainingState

POINTS = 200  # points of the loss curve that are kept


class Trainer:
    """One run. `fit` takes it to its end or to a stop; `write` writes the checkpoint."""

    def __init__(self, files: Sequence[Path], out: Path, options: TrainOptions, team: Processes) -> None:
        self.files, self.out, self.options, self.team = files, out, options, team
        self.progress: Progress = silent
        self.base = Checkpoint(options.base)
        config = stock_config(self.base, authors_have_own_class=False)
        self.layout = StepLayout(Text(self.base.folder), options.separator)
        self.data = read_data(files, options, self.layout, config.max_position_embeddings)
        self.names = options.labels
        torch.manual_seed(options.seed)
        self.model = StepModel(self.base, config, len(self.names), options, team.device)
        self.weights = self.model.trained()
        self.shares = self.class_shares()
        balanced = 1 / (len(self.names) * self.shares)
        self.class_weights = balanced if options.class_weights == "balanced" else torch.ones_like(balanced)
        self.optimiser = torch.optim.AdamW(self.groups(), betas=(0.9, 0.999), eps=1e-8)
        self.state = TrainingState(out)
        self.checksum = self.base.checksum()
        facts = [options.said(), describe(files), self.checksum]
        self.fingerprint = hashlib.sha256(json.dumps(facts).encode()).hexdigest()
        restored = self.state.load(self.fingerprint, self.weights, self.optimiser)
        self.run = restored or Run(self.fingerprint, options.on(team.device)[0])

    @property
    def steps_per_epoch(self) -> int:
        """The optimiser steps per epoch."""
        return math.ceil(len(self.data.parts["train"]) / self.options.batch)

    @property
    def steps(self) -> int:
        """The optimiser steps of the whole run, if it does not end early."""
        return self.steps_per_epoch * self.options.epochs

    def class_shares(self) -> Tensor:
        """Return the share [labels] of each label among the training targets."""
        train = self.data.parts["train"]
        labels = torch.tensor([label for sample in train for label in sample.labels])
        return metrics.class_shares(labels, len(self.names), weights_of(train))

    def groups(self) -> list[dict[str, Any]]:
        """Return the parameter groups: the head learns faster than the decoder; vectors (norms, biases) don't decay."""
        groups: dict[tuple[float, float], list[Any]] = {}
        for name, weight in self.weights.items():
            rate = self.options.head_learning_rate if name.startswith("score.") else self.options.rate
            decay = self.options.weight_decay if weight.ndim > 1 else 0.0
            groups.setdefault((rate, decay), []).append(weight)
        return [
            {"params": those, "lr": rate, "rate": rate, "weight_decay": decay}
            for (rate, decay), those in groups.items()
        ]

    def fit(self, progress: Progress, stop: Stop) -> None:
        """Take all remaining steps. Raises StoppedError, TrainingError."""
        self.progress = progress
        while not self.run.ended:
            if self.team.agree(stop()):
                self.save()
                raise StoppedError(f"Stopped after step {self.run.step} of {self.steps}; the state is kept.")
            self.take_step(progress)
            if self.run.step % self.steps_per_epoch == 0:
                self.validate(progress)
                self.save()
            elif self.run.step % self.options.save_every == 0:
                self.save()

    def take_step(self, progress: Progress) -> None:
        """Compute the gradients of one batch, from all processes, and take one step along them."""
        began = time.monotonic()
        samples = self.batch(self.run.step)
        loss = self.gradients(samples)
        self.team.sum([loss, *(weight.grad for weight in self.weights.values() if weight.grad is not None)])
        for group in self.optimiser.param_groups:
            group["lr"] = group["rate"] * self.pace(self.run.step)
        norm = torch.nn.utils.clip_grad_norm_(list(self.weights.values()), self.options.clip)
        if not (math.isfinite(float(loss)) and math.isfinite(float(norm))):
            raise TrainingError(
                f"The loss is not a number at step {self.run.step + 1}. Lower the learning rate (it is "
                f"{self.options.rate:g}), or check whether the base itself gives numbers. The last saved state is good."
            )
        self.optimiser.step()
        self.run.step += 1
        self.run.seen += sum(len(sample.ids) for sample in samples)
        self.run.seconds += time.monotonic() - began
        self.note(float(loss), progress)

    def note(self, loss: float, progress: Progress) -> None:
        """Report a step, and store a point of the curve now and then."""
        every = max(1, self.steps // POINTS)
        if self.run.step % every == 0:
            self.run.curve.append({"step": self.run.step, "loss": loss})
        progress(
            {
                "stage": "train",
                "done": self.run.step,
                "total": self.steps,
                "epoch": (self.run.step - 1) // self.steps_per_epoch + 1,
                "loss": loss,
                "tokens_per_second": round(self.run.seen / max(self.run.seconds, 1e-9)),
            }
        )

    def batch(self, step: int) -> list[Sample]:
        """Return the traces of a step: each epoch goes through all of them in its own order."""
        epoch, place = divmod(step, self.steps_per_epoch)
        train = self.data.parts["train"]
        generator = torch.Generator().manual_seed(self.options.seed * 100_003 + epoch)
        order = torch.randperm(len(train), generator=generator).tolist()
        chosen = order[place * self.options.batch : (place + 1) * self.options.batch]
        return [self.beside_wrong_ones(at, epoch) for at in chosen]

    def beside_wrong_ones(self, at: int, epoch: int) -> Sample:
        """Return a training trace with that epoch's made wrong steps, always the same ones, if they are requested."""
        sample, many = self.data.parts["train"][at], self.options.synthetic_errors
        if not many:
            return sample
        return with_made(sample, self.layout, many, Random(f"{self.options.seed}:{epoch}:{at}"))

    def weighing(self, labels: Tensor, made: Tensor, weights: Tensor) -> Tensor:
        """Return the weight [m] of each target in the loss."""
        return weights * torch.where(made, MADE_WEIGHT, self.class_weights.to(labels.device)[labels])

    def pace(self, step: int) -> float:
        """Return the factor of the learning rates: a linear rise, then a cosine down to a tenth."""
        warm = max(1, round(self.options.warm_up * self.steps))
        if step < warm:
            return (step + 1) / warm
        return 0.55 + 0.45 * math.cos(math.pi * (step - warm) / max(1, self.steps - warm))

    def gradients(self, samples: list[Sample]) -> Tensor:
        """Return this process's share of the step's loss, leaving its gradients on the weights. Out of memory
        permanently halves the packs.
        """
        labels = torch.tensor([label for sample in samples for label in sample.labels])
        total = float(self.weighing(labels, made_of(samples), weights_of(samples)).sum())
        mine = self.mine(samples)
        while True:
            for weight in self.weights.values():
                weight.grad = torch.zeros_like(weight)
            try:
                return self.summed(mine, total)
            except RuntimeError as error:
                if not is_out_of_memory(error):
                    raise
            self.smaller(mine)

    def summed(self, samples: list[Sample], total: float) -> Tensor:
        """Run forward and backward over this process's packs."""
        loss = torch.zeros((), device=self.team.device)
        done = self.run.step * self.options.batch
        for some in shared_out(samples, self.run.tokens)[0]:
            one = pack(some).to(self.team.device)
            each = cross_entropy(self.model(one), one.labels, reduction="none")
            part = (each * self.weighing(one.labels, one.made, one.weights)).sum() / total
            part.backward()
            loss += part.detach()
            done += len(some) * self.team.many
            self.progress({"stage": "learning", "done": done, "total": self.steps * self.options.batch})
        return loss

    def mine(self, samples: list[Sample]) -> list[Sample]:
        """Return this process's part of the samples; all processes make the same cut, whatever memory each has."""
        tokens = self.options.on(self.team.device)[0]
        share = shared_out(samples, tokens, self.team.many)[self.team.rank]
        return [sample for some in share for sample in some]

    def smaller(self, samples: list[Sample]) -> None:
        """Halve the packs. Raises TrainingError if each trace is already alone."""
        longest = max(len(sample.ids) for sample in samples)
        if self.run.tokens <= longest // 2:
            raise TrainingError(
                f"A single trace of {longest} tokens does not fit into memory. Use gradient checkpointing, lora "
                "instead of full, bfloat16, fewer layers or a smaller base."
            )
        self.run.tokens //= 2
        self.run.notes.append(
            f"Out of memory at step {self.run.step + 1}: continued with packs of {self.run.tokens} tokens."
        )
        if self.team.device.type == "cuda":
            torch.cuda.empty_cache()

    def validate(self, progress: Progress) -> None:
        """Measure after an epoch; keep the best weights; end when patience or epochs run out."""
        found = self.measured(self.data.parts["validation"])
        loss = float(cross_entropy(found.logits, found.known.labels, self.class_weights))
        shown = found.metrics()
        point = {"step": self.run.step, "validation_loss": loss, "validation_auc": shown["auc"]}
        self.run.curve.append(point)
        if self.run.best_loss is None or loss < self.run.best_loss:
            self.run.best_step, self.run.best_loss, self.run.waited = self.run.step, loss, 0
            if self.team.first:
                self.state.keep_best(self.run.step, self.weights)
        else:
            self.run.waited += 1
        self.run.ended = self.run.step >= self.steps or self.run.waited >= self.options.patience
        progress({"stage": "validate", "done": self.run.step, "total": self.steps, **point})

    @torch.no_grad()
    def measured(self, samples: list[Sample]) -> Measured:
        """Measure the counted steps of these traces, with each process doing its share."""
        starts = dict(zip(map(id, samples), running_sum([len(one.counted) for one in samples]), strict=True))
        logits = torch.zeros(sum(len(one.counted) for one in samples), len(self.names), device=self.team.device)
        mine = self.mine(samples)
        looked_at = Counted(self.progress, "measuring", len(mine))
        for some in shared_out(mine, self.run.tokens)[0]:
            found, at = self.model(pack(some).to(self.team.device)), 0
            for one in some:
                counted = torch.tensor(one.counted) + at
                start = starts[id(one)]
                logits[start : start + len(counted)] = found[counted.to(found.device)]
                at += len(one.labels)
            looked_at.add(len(some))
        self.team.sum([logits])
        return Measured(logits.cpu(), known(samples))

    def save(self) -> None:
        """Save the state from one process; the others wait for the file from which they would resume."""
        if self.team.first and self.run.step:
            self.state.save(self.run, self.weights, self.optimiser)
        self.team.wait()

    def write(self, progress: Progress) -> dict[str, Any]:
        """Write the best weights, calibrated, as a checkpoint. Return what meta.json holds."""
        self.progress = progress
        self.state.load_best(self.run, self.weights)
        shift = self.prior_shift()
        parts = self.data.parts
        seen = self.data.people_taught[: len(parts["validation"])]  # a part of the training traces is enough
        shown = {**parts, "train": seen}
        raw = {part: self.measured(samples).cooled(shift, 1.0) for part, samples in shown.items()}
        temperature = metrics.best_temperature(raw["validation"].odds, raw["validation"].targets) or 1.0
        self.model.finish(shift, temperature)
        meta = self.meta(raw, temperature)
        Counted(progress, "writing", 0)
        if self.team.first:
            checkpoint_writer.write_classifier(
                self.out, self.base, self.model.tensors(), self.names, self.model.layers, meta
            )
            self.state.remove()
        self.team.wait()
        progress({"stage": "written", "done": 1, "total": 1})
        return meta

    def prior_shift(self) -> Tensor:
        """Return the amounts [labels] to add to the logits.

        Class weights that differ from the labels' shares, and wrong steps that were made, shift the odds; this shifts
        them back to how often each label occurs among people's.
        """
        weighed = self.class_weights * self.shares
        weighed[0] += MADE_WEIGHT * self.made_each()
        odds = self.shares / weighed
        return (odds / odds[0]).log()

    def made_each(self) -> float:
        """Return the number of wrong steps made in the first epoch per target given by people."""
        if not self.options.synthetic_errors:
            return 0.0
        train = self.data.parts["train"]
        made = sum(self.beside_wrong_ones(at, 0).made for at in range(len(train)))
        return made / sum(len(sample.labels) for sample in train)

    def meta(self, raw: dict[str, Measured], temperature: float) -> dict[str, Any]:
        """Return everything that is said about the model."""
        options, data = self.options, self.data
        return {
            **checkpoint_writer.about(self.base, self.checksum, self.files, data.examples, options),
            "run": self.fingerprint,
            "layer": self.model.layers,
            "options": options.said(),
            **report(raw, known(data.people_taught), temperature),
            "steps": self.run.step,
            "best_step": self.run.best_step,
            "curve": self.run.curve,
            "left_out": data.left_out,
            "synthetic_errors": {"for_each_right_step": options.synthetic_errors, "for_each_label": self.made_each()},
            "notes": self.run.notes,
            "processes": self.team.many,
            "seconds": {"train": round(self.run.seconds, 1)},
        }


def fine_tune(
    files: Sequence[Path], out: Path, options: TrainOptions, progress: Progress, stop: Stop
) -> dict[str, Any]:
    """Train, or resume training, and write the checkpoint. A run that has ended is reported again. Raises PrmError."""
    with processes() as team:
        trainer = Trainer(files, out, options, team)
        done = out / "meta.json"
        if done.exists() and json.loads(done.read_text()).get("run") == trainer.fingerprint:
            return dict(json.loads(done.read_text()))
        tell: Progress = progress if team.first else silent
        trainer.fit(tell, stop)
        return trainer.write(tell)
