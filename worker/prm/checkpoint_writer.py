"""Writes what training produces: a token classifier as safetensors, meta.json, and a model card for people.

Plain transformers loads it (`AutoModelForTokenClassification`), and so does the family `step_classifier` here.
meta.json is written last: if it exists, the checkpoint is complete.
"""

import hashlib
import json
from collections.abc import Sequence
from functools import cache
from pathlib import Path
from typing import Any

import torch
from safetensors.torch import save_file
from torch import Tensor

from worker.prm.card import model_card
from worker.prm.checkpoint import Checkpoint
from worker.prm.examples import OUTCOME, PROGRESS, Example, describe
from worker.prm.options import STACKED, TrainOptions
from worker.prm.whole_files import whole

FORMAT = 1
COPIED = ("tokenizer.json", "tokenizer_config.json", "special_tokens_map.json", "chat_template.jinja")
# PROTOCOL: the eight roles that are kept apart, and the four statements. "unknown" is an answer, blank is not.
ROLES = (
    "base_model",
    "policy_model",
    "orm",
    "prm",
    "automated_judge",
    "human_label_source",
    "tool_scaffold",
    "deployment_monitor",
)
STATEMENTS = ("process_supervised", "labels_produced", "tested_where", "failures_remaining")
UNKNOWN = "unknown"


def write_classifier(
    out: Path, base: Checkpoint, tensors: dict[str, Tensor], names: list[str], layers: int, meta: dict[str, Any]
) -> None:
    """Write decoder and head as a token classifier with these label names and this many layers."""
    out.mkdir(parents=True, exist_ok=True)
    labels = {str(label): name for label, name in enumerate(names)}
    config = {
        **base.config,
        "architectures": [f"{str(base.config['model_type']).capitalize()}ForTokenClassification"],
        "num_hidden_layers": layers,
        "num_labels": len(names),
        "id2label": labels,
        "label2id": {name: int(label) for label, name in labels.items()},
        "dtype": str(tensors["score.weight"].dtype).removeprefix("torch."),
    }
    config.pop("layer_types", None)
    config.pop("torch_dtype", None)
    for name in COPIED:
        if (base.folder / name).exists():
            replace(out / name, (base.folder / name).read_bytes())
    replace(out / "config.json", (json.dumps(config, indent=1) + "\n").encode())
    part = out / "model.safetensors.part"
    with whole(out / "model.safetensors", part):
        save_file({name: tensor.contiguous() for name, tensor in tensors.items()}, part, metadata={"format": "pt"})
    replace(out / "README.md", model_card(meta).encode())
    replace(out / "meta.json", (json.dumps(meta, indent=1, allow_nan=False) + "\n").encode())


def replace(file: Path, content: bytes) -> None:
    """Write a file completely or not at all."""
    part = file.with_name(file.name + ".part")
    with whole(file, part):
        part.write_bytes(content)


def decoder_shapes(base: Checkpoint, layers: int) -> dict[str, tuple[int, ...]]:
    """Return names and shapes of a decoder cut off after `layers` layers."""
    return {
        name: shape
        for name, shape in base.shapes.items()
        if name in ("model.embed_tokens.weight", "model.norm.weight")
        or (name.startswith("model.layers.") and int(name.split(".")[2]) < layers)
    }


def about(
    base: Checkpoint, checksum: str, files: Sequence[Path], examples: Sequence[Example], options: TrainOptions
) -> dict[str, Any]:
    """Return what meta.json says about a model's origin, whatever the method."""
    policies = {example.generator for example in examples if example.generator}
    return {
        "format": FORMAT,
        "family": family_of(options),
        "record": record_of(options),
        "base": base.folder.name,
        "base_checksum": checksum,
        "method": options.method,
        "target": options.target,
        "neutral": options.neutral,
        "separator": options.separator,
        "labels": options.labels,
        "seed": options.seed,
        "data": describe(files),
        "traces": len(examples),
        "lineage": dict(options.lineage),
        "roles": roles_of(options, base.folder.name, policies),
        "statements": statements_of(options),
        "code": code_version(),
        "notes": [],
    }


def family_of(options: TrainOptions) -> str:
    """Return the family that scores with it."""
    return "stacked_head" if options.method == STACKED else "step_classifier"


def record_of(options: TrainOptions) -> dict[str, Any]:
    """Return what the registry needs to know besides the path (worker/prm/spec.py). An ORM is read at the last step."""
    return {
        "family": family_of(options),
        "neutral": "negative" if options.neutral == "negative" else "positive",
        "aggregation": "last" if options.target == OUTCOME else "product",
        "options": {"separator": options.separator},
        **({"observed": options.observed} if options.observed else {}),
    }


def roles_of(options: TrainOptions, base: str, policies: set[str]) -> dict[str, str]:
    """Return the eight roles: what training knows itself, overridden by what the caller says, else unknown."""
    known = {
        "base_model": base,
        "policy_model": ", ".join(sorted(policies)) or UNKNOWN,
        "orm" if options.target == OUTCOME else "prm": "this model",
    }
    return dict.fromkeys(ROLES, UNKNOWN) | known | dict(options.lineage.get("roles") or {})


def statements_of(options: TrainOptions) -> dict[str, str]:
    """Return the four statements, by the same rule."""
    single = "single steps, up to the first error"
    if options.synthetic_errors:
        single += "; also wrong steps that the trainer made from right ones, which no person has looked at"
    if options.target == PROGRESS:
        single += "; a second head learned progress, as rollouts of a completer measured it, which is not correctness"
    outcomes = "none of it: only the final answer (outcomes)"
    known = {
        "process_supervised": outcomes if options.target == OUTCOME else single,
        "tested_where": "problems of the same data that were not used for training",
    }
    return dict.fromkeys(STATEMENTS, UNKNOWN) | known | dict(options.lineage.get("statements") or {})


@cache
def code_version() -> dict[str, str]:
    """Return SHA-256 over this package's sources, and the version of torch: the same code gives the same values."""
    digest = hashlib.sha256()
    for file in sorted(Path(__file__).parent.rglob("*.py")):
        digest.update(f"{file.name}\n".encode() + file.read_bytes())
    return {"worker.prm": digest.hexdigest()[:16], "torch": str(torch.__version__)}
