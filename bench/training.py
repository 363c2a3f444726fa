"""Training speed: ours against the plain transformers Trainer on the same data and model, and what cached states save.

`python -m bench.training` fully fine-tunes SmolLM2-135M on real ratings for one epoch with each, on one thread. Then it
fits a head twice: with an empty cache of hidden states, and with the cache filled by the first time. Writes
bench/results/training.json.
"""

import argparse
import json
import sys
import time
from collections.abc import Callable, Sequence
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import torch
from torch.nn.functional import cross_entropy
from transformers import (
    AutoConfig,
    AutoModelForTokenClassification,
    AutoTokenizer,
    DataCollatorForTokenClassification,
    TrainingArguments,
)
from transformers import Trainer as PlainTrainer

from bench import smollm2
from bench.__main__ import keep
from bench.active_learning import SHARED
from bench.progress import say
from bench.report import RESULTS
from bench.report import write as write_page
from worker.prm.finetune import Trainer
from worker.prm.fit_head import fit_head
from worker.prm.options import FULL, TrainOptions
from worker.prm.packing import Sample, pack
from worker.prm.processes import processes

DATA = "prm800k_val"
ROWS = 48  # of the file, evenly spread
LAYERS = 10  # of 30: enough to see the ratio, in a third of the time
BATCH, SMALL = 32, 8  # traces per optimiser step, and per padded forward pass of the plain Trainer (its default)
IGNORE = -100
RATE, HEAD_RATE = 2e-5, 1e-3
Json = dict[str, Any]


def rows_to_learn(folder: Path, rows: int) -> Path:
    """Write this many rows of DATA to a new file."""
    lines = (SHARED / f"{DATA}.jsonl").read_text(encoding="utf-8").strip().split("\n")
    file = folder / f"{DATA}-{rows}.jsonl"
    file.write_text("".join(line + "\n" for line in lines[:: max(1, len(lines) // rows)][:rows]), encoding="utf-8")
    return file


class Run:
    """CPU and wall-clock seconds since its creation."""

    def __init__(self) -> None:
        self.cpu, self.wall = time.process_time(), time.perf_counter()

    def seconds(self) -> Json:
        """Return both."""
        return {"cpu": round(time.process_time() - self.cpu, 2), "wall": round(time.perf_counter() - self.wall, 2)}


def ours(trainer: Trainer) -> Json:
    """Run one epoch of our trainer; its packs hold real tokens only."""
    packs: list[int] = []
    run = Run()
    for _ in range(trainer.steps_per_epoch):
        trainer.take_step(lambda event: packs.append(event["done"]))
    seconds = run.seconds()
    return {"tokens": trainer.run.seen, "computed": trainer.run.seen, "steps": len(packs), "seconds": seconds}


def plain_model(base: Path, layers: int) -> Any:
    """Load the same weights in stock transformers, without dropout and with the head at 0, as ours begins."""
    config: Any = AutoConfig.from_pretrained(base, num_hidden_layers=layers, num_labels=2)
    config.classifier_dropout = 0.0
    model: Any = AutoModelForTokenClassification.from_pretrained(base, config=config, dtype=torch.float32)
    torch.nn.init.zeros_(model.score.weight)
    torch.nn.init.zeros_(model.score.bias)
    return model


def as_rows(samples: Sequence[Sample]) -> list[Json]:
    """Return rows for the plain Trainer: a label on the last token of each rated step, IGNORE elsewhere."""
    rows = []
    for one in samples:
        labels = [IGNORE] * len(one.ids)
        for place, label in zip(one.places, one.labels, strict=True):
            labels[place] = label
        rows.append({"input_ids": one.ids, "attention_mask": [1] * len(one.ids), "labels": labels})
    return rows


class Counted:
    """The padding collator, counting the tokens before and after padding."""

    def __init__(self, collate: Callable[[list[Json]], Json]) -> None:
        self.collate, self.tokens, self.computed = collate, 0, 0

    def __call__(self, rows: list[Json]) -> Json:
        made = self.collate(rows)
        self.tokens += sum(len(row["input_ids"]) for row in rows)
        self.computed += made["input_ids"].numel()
        return made


def plain(base: Path, layers: int, samples: Sequence[Sample], folder: Path, order: str, tokenizer: Any) -> Json:
    """Run one epoch of transformers' Trainer with its defaults, except that the batch is ours."""
    collator = Counted(DataCollatorForTokenClassification(tokenizer))
    arguments = TrainingArguments(
        output_dir=str(folder / "plain"),
        per_device_train_batch_size=SMALL,
        gradient_accumulation_steps=BATCH // SMALL,
        num_train_epochs=1,
        learning_rate=RATE,
        use_cpu=True,
        save_strategy="no",
        report_to="none",
        disable_tqdm=True,
        logging_strategy="no",
        train_sampling_strategy=order,
        seed=0,
    )
    trainer = PlainTrainer(
        model=plain_model(base, layers), args=arguments, train_dataset=as_rows(samples), data_collator=collator
    )
    run = Run()
    trainer.train()
    seconds = run.seconds()
    steps = trainer.state.global_step
    return {"tokens": collator.tokens, "computed": collator.computed, "steps": steps, "seconds": seconds}


@torch.no_grad()
def difference(trainer: Trainer, base: Path, samples: Sequence[Sample]) -> Json:
    """Check that both compute the same: the loss of some traces under the same weights and a nonzero head, packed and
    one by one.
    """
    model = plain_model(base, trainer.model.layers).eval()
    head = torch.randn(2, trainer.model.score.in_features, generator=torch.Generator().manual_seed(1)) * 0.02
    for score in (model.score, trainer.model.score):
        score.weight.copy_(head)
    one = pack(samples)
    logits = [model(input_ids=torch.tensor([some.ids])).logits[0, some.places] for some in samples]
    found = [float(cross_entropy(said, one.labels)) for said in (trainer.model(one), torch.cat(logits))]
    torch.nn.init.zeros_(trainer.model.score.weight)
    return {"ours": found[0], "plain": found[1]}


def heads(base: Path, file: Path, folder: Path) -> Json:
    """Fit a head with an empty cache of states, then again with the filled cache."""
    found = {}
    for name in ("first", "again"):
        run = Run()
        meta = fit_head(base, folder / name, [file], cache_folder=folder / "states")
        found[name] = {**meta["seconds"], **run.seconds(), "traces": meta["traces"]}
    return found


def heads_alone(rows: int) -> Json:
    """Run `heads` on one thread."""
    torch.set_num_threads(1)
    with TemporaryDirectory() as name:
        return heads(smollm2.step_classifier(), rows_to_learn(Path(name), rows), Path(name))


def measure(rows: int, layers: int) -> Json:
    """Measure everything on one thread."""
    torch.set_num_threads(1)
    base = smollm2.step_classifier()
    with TemporaryDirectory() as name, processes() as team:
        folder = Path(name)
        file = rows_to_learn(folder, rows)
        cut = (layers,) if layers else ()
        options = TrainOptions(
            base=base, method=FULL, epochs=1, batch=BATCH, class_weights="none", layers=cut, learning_rate=RATE
        )
        trainer = Trainer([file], folder / "ours", options, team)
        samples, depth = trainer.data.parts["train"], trainer.model.layers
        say(f"{len(samples)} traces, {sum(len(one.ids) for one in samples)} tokens, {depth} layers")
        same = difference(trainer, base, samples[:4])
        runs = {"ours": ours(trainer)}
        say(f"ours: {runs['ours']}")
        tokenizer = padding(base)
        for title, order in (("Trainer", "random"), ("Trainer, grouped by length", "group_by_length")):
            runs[title] = plain(base, depth, samples, folder, order, tokenizer)
            say(f"{title}: {runs[title]}")
        found = heads(base, file, folder)
        say(f"heads: {found}")
    longest = max(len(one.ids) for one in samples)
    return {
        "data": f"{DATA}.jsonl",
        "rows": rows,
        "traces": len(samples),
        "longest": longest,
        "layers": depth,
        "pack_tokens": trainer.run.tokens,
        "batch": BATCH,
        "padded_batch": SMALL,
        "loss": same,
        "runs": runs,
        "heads": found,
    }


def padding(base: Path) -> Any:
    """Return the base's tokenizer, set up for padding."""
    found = AutoTokenizer.from_pretrained(base)
    found.pad_token = found.pad_token or found.eos_token
    return found


def main(arguments: Sequence[str] | None = None) -> int:
    """Measure and write the results."""
    parser = argparse.ArgumentParser(prog="python -m bench.training", description=__doc__.splitlines()[0])
    parser.add_argument("--rows", type=int, default=ROWS, help="rows of the data, seven tenths of them to learn from")
    parser.add_argument("--layers", type=int, default=LAYERS, help="cut the model off after so many layers; 0: all")
    parser.add_argument("--heads", action="store_true", help="the heads alone; what is kept of the rest stays")
    parser.add_argument("--quick", action="store_true", help="the result is not kept")
    options = parser.parse_args(arguments)
    if not (SHARED / f"{DATA}.jsonl").exists():
        say(f"skipped: {SHARED / DATA}.jsonl is not there")
        return 0
    kept = RESULTS / "training.json"
    if options.heads:
        found = {**json.loads(kept.read_text()), "heads": heads_alone(options.rows)}
    else:
        found = measure(options.rows, options.layers)
    keep("training", found, unless=options.quick)
    if not options.quick:
        write_page()
    return 0


if __name__ == "__main__":
    sys.exit(main())
