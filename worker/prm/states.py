"""Hidden states of a frozen decoder at the step separators, computed once a trace and kept on disk.

A head on states of a middle layer learns in a second what a pass over all traces takes minutes to compute; so the
states are cached by checkpoint, layer and text, and every refit after a few more labels reads them back.
"""

import hashlib
import json
import os
from collections.abc import Mapping, Sequence
from pathlib import Path

import numpy as np
import torch
from safetensors import safe_open
from safetensors.torch import save_file
from torch import Tensor

from worker.prm.checkpoint import Checkpoint, Shape
from worker.prm.errors import SpecError
from worker.prm.families.step_classifier import StepClassifier
from worker.prm.spec import PrmSpec
from worker.prm.text import Rendered
from worker.prm.tree import build_tree
from worker.prm.whole_files import whole

Steps = Sequence[str]


class FrozenDecoder(StepClassifier):
    """The decoder of a causal language model or a token classifier, whatever head lies on it; rendered as a step
    classifier.
    """

    spare = ("lm_head.", "score.", "classifier.")

    def right_labels(self) -> list[int]:
        return []

    def head_shapes(self) -> dict[str, Shape]:
        return {}

    @property
    def depth(self) -> int:
        """How many layers it has."""
        return int(self.config.num_hidden_layers)

    def cut_off(self, layer: int) -> None:
        """Compute nothing above that layer; what lies below does not change."""
        model = self.decoder.model
        model.layers = model.layers[:layer]

    def states(self, rendered: Sequence[Rendered], layers: Sequence[int]) -> list[dict[int, Tensor]]:
        """For each trace, per layer (1 = after the first) float32 states [steps, h] at its separators.

        They went through the final norm: what a decoder cut off after that layer gives. One pass for all layers.
        """
        tree = build_tree([one.ids for one in rendered])
        at = [path[one.positions] for path, one in zip(tree.paths, rendered, strict=True)]
        wanted = np.unique(np.concatenate(at))
        found = self.decoder.hidden_after(tree, wanted, layers)
        rows = [torch.from_numpy(np.searchsorted(wanted, one)) for one in at]
        return [{layer: found[layer][places].float().cpu() for layer in layers} for places in rows]


class StateCache:
    """States of one checkpoint in a folder, a safetensors file a trace, written whole or not at all."""

    def __init__(self, base: Path, folder: Path, layers: Sequence[int] = (), separator: str = "\n") -> None:
        """No layers: five between a third and two thirds of the way up, where states say most of a step (docs/prm.md);
        what lies above is never computed. Raises PrmError.
        """
        checkpoint = Checkpoint(base)
        self.base, self.checksum = base, checkpoint.checksum()
        spec = PrmSpec(family="step_classifier", path=base, options={"separator": separator})
        device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
        self.decoder = FrozenDecoder(spec, checkpoint, device)
        depth = self.decoder.depth
        middle = [max(1, depth * part // 12) for part in range(4, 9)]
        self.layers = sorted(set(layers or middle))
        if not all(1 <= layer <= depth for layer in self.layers):
            raise SpecError(f"The model in {base} has {depth} layers; asked for {self.layers}.")
        self.decoder.cut_off(self.layers[-1])
        facts = json.dumps([self.checksum, separator])
        self.folder = folder / hashlib.sha256(facts.encode()).hexdigest()[:16]
        self.folder.mkdir(parents=True, exist_ok=True)

    def of_problem(self, problem: str, traces: Sequence[Steps]) -> list[Mapping[int, Tensor] | None]:
        """For each trace its states by layer, from disk or computed now; None where a trace cannot be read."""
        rendered = [self._render(problem, steps) for steps in traces]
        found: list[Mapping[int, Tensor] | None] = [one and self._kept(one) for one in rendered]
        missing = [number for number, one in enumerate(rendered) if one is not None and found[number] is None]
        if missing:
            asked = [one for number in missing if (one := rendered[number]) is not None]
            for number, one, states in zip(missing, asked, self.decoder.states(asked, self.layers), strict=True):
                self._keep(one, states)
                found[number] = states
        return found

    def _render(self, problem: str, steps: Steps) -> Rendered | None:
        if not steps or not all(step.strip() for step in steps):
            return None
        rendered = self.decoder.render(problem, steps)
        return rendered if len(rendered.ids) <= self.decoder.longest else None

    def _path(self, rendered: Rendered) -> Path:
        text = np.asarray([*rendered.ids, -1, *rendered.positions], dtype=np.int64).tobytes()
        return self.folder / f"{hashlib.sha256(text).hexdigest()}.safetensors"

    def _kept(self, rendered: Rendered) -> dict[int, Tensor] | None:
        path = self._path(rendered)
        if not path.exists():
            return None
        with safe_open(path, framework="pt") as opened:
            names = set(opened.keys())
            if not {str(layer) for layer in self.layers} <= names:
                return None
            return {layer: opened.get_tensor(str(layer)).float() for layer in self.layers}

    def _keep(self, rendered: Rendered, states: Mapping[int, Tensor]) -> None:
        path = self._path(rendered)
        part = path.with_suffix(f".{os.getpid()}.part")
        with whole(path, part):
            save_file({str(layer): tensor.contiguous() for layer, tensor in states.items()}, part)
