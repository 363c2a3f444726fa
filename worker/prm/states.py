"""Hidden states of a frozen decoder at the step separators, computed once per trace and kept on disk.

A head on a middle layer's states learns in a second, while a pass over all traces takes minutes. So the states are
cached by checkpoint, layer and text, and every refit after a few more labels reads them back.
"""

import hashlib
import json
import os
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import torch
from safetensors import safe_open
from safetensors.torch import save_file
from torch import Tensor

from worker.prm.checkpoint import Checkpoint, Shape
from worker.prm.errors import CheckpointError, SpecError
from worker.prm.families.stacked_head import LM_HEAD, digits_of
from worker.prm.families.step_classifier import StepClassifier
from worker.prm.spec import PrmSpec
from worker.prm.step_checks import KeptChecks
from worker.prm.step_readings import BLOCKS, CHECKS, READ, READINGS, Layers, Predictor
from worker.prm.text import Rendered
from worker.prm.tree import build_tree
from worker.prm.whole_files import whole

Steps = Sequence[str]


class FrozenDecoder(StepClassifier):
    """The decoder of a causal language model or token classifier, without its head; rendered like a step classifier."""

    spare = ("lm_head.", "score.", "classifier.", "progress.")

    def right_labels(self) -> list[int]:
        return []

    def head_shapes(self) -> dict[str, Shape]:
        return {}

    @property
    def depth(self) -> int:
        """The number of layers it has."""
        return int(self.config.num_hidden_layers)

    def cut_off(self, layer: int) -> None:
        """Compute nothing above that layer; the layers below do not change."""
        model = self.decoder.model
        model.layers = model.layers[:layer]

    def states(self, rendered: Sequence[Rendered], layers: Sequence[int]) -> list[dict[int, Tensor]]:
        """Return, for each trace and layer (1 = after the first), float32 states [steps, h] at its separators.

        They went through the final norm, as in a decoder cut off after that layer. One pass for all layers.
        """
        tree = build_tree([one.ids for one in rendered])
        at = [path[one.positions] for path, one in zip(tree.paths, rendered, strict=True)]
        wanted = np.unique(np.concatenate(at))
        found = self.decoder.hidden_after(tree, wanted, layers)
        rows = [torch.from_numpy(np.searchsorted(wanted, one)) for one in at]
        return [{layer: found[layer][places].float().cpu() for layer in layers} for places in rows]


class TraceCache:
    """What a frozen model says about traces: one safetensors file per trace, written completely or not at all."""

    def __init__(self, folder: Path, facts: Sequence[Any], decoder: FrozenDecoder) -> None:
        """`facts` are everything that changes what is stored, besides the text."""
        self.decoder = decoder
        self.folder = folder / hashlib.sha256(json.dumps(facts).encode()).hexdigest()[:16]
        self.folder.mkdir(parents=True, exist_ok=True)

    @property
    def names(self) -> list[str]:
        """The tensors of a trace that are requested."""
        raise NotImplementedError

    @property
    def names_on_disk(self) -> list[str]:
        """Those of them that are in the trace's file."""
        return self.names

    def computed(self, rendered: Sequence[Rendered]) -> list[dict[str, Tensor]]:
        """Return these tensors, float32 [steps, …], for each trace of one problem."""
        raise NotImplementedError

    def of_problem(self, problem: str, traces: Sequence[Steps]) -> list[Mapping[str, Tensor] | None]:
        """Return the tensors of each trace, from disk or computed now; None if a trace cannot be read."""
        rendered = [self._render(problem, steps) for steps in traces]
        found: list[Mapping[str, Tensor] | None] = [one and self._kept(one) for one in rendered]
        missing = [number for number, one in enumerate(rendered) if one is not None and found[number] is None]
        if missing:
            asked = [one for number in missing if (one := rendered[number]) is not None]
            for number, one, tensors in zip(missing, asked, self.computed(asked), strict=True):
                self._keep(one, tensors)
                found[number] = tensors
        return found

    def _render(self, problem: str, steps: Steps) -> Rendered | None:
        if not steps or not all(step.strip() for step in steps):
            return None
        rendered = self.decoder.render(problem, steps)
        return rendered if len(rendered.ids) <= self.decoder.longest else None

    def _path(self, rendered: Rendered) -> Path:
        text = np.asarray([*rendered.ids, -1, *rendered.positions], dtype=np.int64).tobytes()
        return self.folder / f"{hashlib.sha256(text).hexdigest()}.safetensors"

    def _kept(self, rendered: Rendered) -> dict[str, Tensor] | None:
        path = self._path(rendered)
        if not path.exists():
            return None
        with safe_open(path, framework="pt") as opened:
            if not set(self.names_on_disk) <= set(opened.keys()):
                return None
            return {name: opened.get_tensor(name).float() for name in self.names_on_disk}

    def _keep(self, rendered: Rendered, tensors: Mapping[str, Tensor]) -> None:
        path = self._path(rendered)
        part = path.with_suffix(f".{os.getpid()}.part")
        with whole(path, part):
            save_file({name: tensor.contiguous() for name, tensor in tensors.items()}, part)


def frozen(base: Path, separator: str) -> tuple[FrozenDecoder, str]:
    """Return the decoder in that folder, and its checksum. Raises PrmError."""
    checkpoint = Checkpoint(base)
    spec = PrmSpec(family="step_classifier", path=base, options={"separator": separator})
    device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
    return FrozenDecoder(spec, checkpoint, device), checkpoint.checksum()


class StateCache(TraceCache):
    """States at the separators after some layers; a name is a layer's number."""

    def __init__(self, base: Path, folder: Path, layers: Sequence[int] = (), separator: str = "\n") -> None:
        """Without `layers`, use five between a third and two thirds of the way up, whose states say most about a step
        (docs/prm.md); layers above are never computed. Raises PrmError.
        """
        decoder, self.checksum = frozen(base, separator)
        depth = decoder.depth
        middle = [max(1, depth * part // 12) for part in range(4, 9)]
        self.layers = sorted(set(layers or middle))
        if not all(1 <= layer <= depth for layer in self.layers):
            raise SpecError(f"The model in {base} has {depth} layers; requested: {self.layers}.")
        decoder.cut_off(self.layers[-1])
        super().__init__(folder, [self.checksum, separator], decoder)

    @property
    def names(self) -> list[str]:
        return [str(layer) for layer in self.layers]

    def computed(self, rendered: Sequence[Rendered]) -> list[dict[str, Tensor]]:
        return [
            {str(layer): states for layer, states in one.items()} for one in self.decoder.states(rendered, self.layers)
        ]


class ReadingCache(TraceCache):
    """The blocks of worker/prm/step_readings.py."""

    def __init__(self, base: Path, folder: Path, separator: str = "\n", layers: Layers | None = None) -> None:
        """`layers` replaces the usual ones. Raises PrmError."""
        decoder, self.checksum = frozen(base, separator)
        self.layers = layers or Layers.of(decoder.depth)
        self.predictor = Predictor(
            decoder.decoder, lm_head(decoder), digits_of(decoder.text, decoder.config.vocab_size), self.layers
        )
        self.checks = KeptChecks(folder)
        facts = [self.checksum, separator, READINGS, self.layers.ends, self.layers.mean]
        super().__init__(folder, facts, decoder)

    @property
    def names(self) -> list[str]:
        return list(BLOCKS)

    @property
    def names_on_disk(self) -> list[str]:
        return list(READ)

    def computed(self, rendered: Sequence[Rendered]) -> list[dict[str, Tensor]]:
        tree = build_tree([one.ids for one in rendered])
        return self.predictor.read(tree, rendered)

    def of_problem(self, problem: str, traces: Sequence[Steps]) -> list[Mapping[str, Tensor] | None]:
        """Return the readings with the checks, which have their own files: new checks do not change the readings."""
        found = super().of_problem(problem, traces)
        return [
            None if one is None else {**one, CHECKS: self.checks.of(problem, steps)}
            for steps, one in zip(traces, found, strict=True)
        ]


def lm_head(decoder: FrozenDecoder) -> Tensor:
    """Return the base's head [tokens, h]: its own, or its token embeddings if it has none. Raises CheckpointError."""
    shapes = decoder.checkpoint.shapes
    if LM_HEAD in shapes:
        wanted = {LM_HEAD: shapes[LM_HEAD]}
        return decoder.checkpoint.read(wanted, decoder.decoder.dtype, decoder.device)[LM_HEAD]
    if decoder.config.tie_word_embeddings is False:
        raise CheckpointError("The base has no lm_head.weight, and its config does not tie it to the token embeddings.")
    table: Tensor = decoder.decoder.model.embed_tokens.weight
    return table
