"""A checkpoint folder, checked before any weight is read: safetensors headers, config.json, checksum.

Pickled weights (.bin, .pt, .pth, .ckpt) can run code when loaded and are never opened; nor is Python code next to them.
"""

import hashlib
import json
import struct
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

import torch
from safetensors import SafetensorError, safe_open
from torch import Tensor

from worker.prm.errors import CheckpointError

PICKLES = (".bin", ".pt", ".pth", ".ckpt", ".pkl")
LONGEST_HEADER = 100 * 2**20
Shape = tuple[int, ...]


@dataclass(frozen=True)
class Checkpoint:
    """One folder with config.json, tokenizer.json and *.safetensors."""

    folder: Path

    def __post_init__(self) -> None:
        if not self.folder.is_dir():
            raise CheckpointError(
                f"There is no folder {self.folder}. A model is a folder on this machine, never a hub name."
            )
        _ = self.files

    @cached_property
    def files(self) -> list[Path]:
        """The safetensors files: those that the index names, or all of them."""
        index = self.folder / "model.safetensors.index.json"
        if index.exists():
            names = sorted(set(read_json(index).get("weight_map", {}).values()))
            if any(Path(name).name != name for name in names):
                raise CheckpointError(f"{index.name} names files outside its folder.")
            files = [self.folder / name for name in names]
        else:
            files = sorted(self.folder.glob("*.safetensors"))
        missing = [file.name for file in files if not file.is_file()]
        if missing:
            raise CheckpointError(f"{index.name} names {missing[0]}, but {self.folder} has no such file.")
        if not files:
            pickles = sorted(file.name for file in self.folder.iterdir() if file.suffix in PICKLES)
            found = f" It holds the pickled file {pickles[0]}, which is never opened." if pickles else ""
            raise CheckpointError(
                f"{self.folder} holds no .safetensors file.{found} Convert the weights on a machine you can afford to "
                "lose: `AutoModel.from_pretrained(...).save_pretrained(folder)` writes safetensors."
            )
        return files

    @cached_property
    def config(self) -> dict[str, Any]:
        """The contents of config.json."""
        return read_json(self.folder / "config.json")

    @cached_property
    def places(self) -> dict[str, tuple[Path, Shape]]:
        """The file and shape of every tensor, from the headers alone."""
        return {name: (file, shape) for file in self.files for name, shape in read_header(file)}

    @property
    def shapes(self) -> dict[str, Shape]:
        """The shape of every tensor."""
        return {name: shape for name, (_file, shape) in self.places.items()}

    def checksum(self) -> str:
        """Return SHA-256 over the names and contents of the safetensors files."""
        digest = hashlib.sha256()
        for file in self.files:
            digest.update(f"{file.name}\n".encode())
            with file.open("rb") as stream:
                digest.update(hashlib.file_digest(stream, "sha256").digest())
        return digest.hexdigest()

    def verify(self, expected: str | None) -> str:
        """Return the checksum. Raises CheckpointError if it is not the registered one."""
        found = self.checksum()
        if expected is not None and found != expected:
            raise CheckpointError(
                f"{self.folder} is not the registered model: its checksum is {found}, not {expected}. "
                "Scores of different weights are not comparable: register it as a separate PRM."
            )
        return found

    def read(self, names: Mapping[str, Shape], dtype: torch.dtype, device: torch.device) -> dict[str, Tensor]:
        """Return these tensors, which were checked before, read file by file."""
        tensors: dict[str, Tensor] = {}
        for file in self.files:
            with safe_open(file, framework="pt", device=str(device)) as opened:
                for name in opened.keys():  # noqa: SIM118 (not a mapping)
                    if name in names:
                        tensors[name] = opened.get_tensor(name).to(dtype)
        return tensors


def read_json(file: Path) -> dict[str, Any]:
    """Return a JSON object from a file of the checkpoint. Raises CheckpointError."""
    if not file.is_file():
        raise CheckpointError(f"{file.name} is missing from {file.parent}.")
    try:
        found = json.loads(file.read_text(encoding="utf-8"))
    except ValueError as error:
        raise CheckpointError(f"{file} is not JSON: {error}.") from error
    if not isinstance(found, dict):
        raise CheckpointError(f"{file} is not a JSON object.")
    return found


def read_header(file: Path) -> Iterator[tuple[str, Shape]]:
    """Yield names and shapes of a safetensors file: 8 bytes of length, then JSON. Opening it checks the offsets."""
    try:
        with file.open("rb") as stream:
            (length,) = struct.unpack("<Q", stream.read(8))
            if length > min(LONGEST_HEADER, file.stat().st_size):
                raise CheckpointError(f"{file} is not a safetensors file: its header would be {length} bytes long.")
            header = json.loads(stream.read(length))
        with safe_open(file, framework="pt"):
            pass
    except (struct.error, ValueError, SafetensorError) as error:
        raise CheckpointError(f"{file} is not a complete safetensors file: {error}.") from error
    for name, facts in header.items():
        if name != "__metadata__":
            yield name, tuple(facts["shape"])


def check_tensors(found: Mapping[str, Shape], needed: Mapping[str, Shape], spare: tuple[str, ...], family: str) -> None:
    """Raise CheckpointError naming the first tensor that is missing, has another shape, or does not belong here.

    `spare` are prefixes of names that may be present without being read (an LM head under a classifier).
    """
    for name, shape in needed.items():
        if name not in found:
            raise CheckpointError(
                f"The family {family} needs the tensor {name} {list(shape)}, which the checkpoint does not have. "
                "Does it belong to another family?"
            )
        if found[name] != shape:
            raise CheckpointError(
                f"The tensor {name} has the shape {list(found[name])}; according to config.json, the family {family} "
                f"needs {list(shape)}. Either config.json and the weights do not belong together, or the family is "
                "wrong."
            )
    for name in found:
        if name not in needed and not name.startswith(spare) and not name.endswith("rotary_emb.inv_freq"):
            raise CheckpointError(
                f"The tensor {name} has no place in the family {family}. Does the checkpoint belong to another "
                "family, or is it a set of adapter weights that were not merged?"
            )
