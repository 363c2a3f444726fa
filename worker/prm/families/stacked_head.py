"""Our own checkpoints with a stacked head: several layers, means over steps, surprise and checks, from one pass.

Rendered like a step classifier. Plain transformers cannot load the head: it reads more than the last state. The folder
holds the whole language model, `head.weight` [1, d] and `head.bias` [1] over the blocks of worker/prm/step_readings.py
in their order; config.json says which layers, and which version of the checks. Log odds = readings @ weight + bias,
calibrated. `drawn.weight` [heads, d] and `drawn.bias` [heads] are the same for heads fitted on resampled problems: how
far these are apart shows how sure the head is of a step. Older checkpoints, without checks or without these heads, are
read as they are.
"""

from collections.abc import Sequence
from typing import Any

import torch
from torch import Tensor
from torch.nn.functional import logsigmoid

from worker.prm.checkpoint import Shape
from worker.prm.errors import CheckpointError
from worker.prm.families.step_classifier import StepLayout
from worker.prm.family import Opinion, TokenFamily
from worker.prm.step_checks import NUMBERS, VERSION, numbers_of
from worker.prm.step_readings import READ, SURPRISES, Layers, Predictor
from worker.prm.text import Rendered, Text
from worker.prm.tree import Tree

LM_HEAD, TABLE = "lm_head.weight", "model.embed_tokens.weight"
OURS = "stacked_head"  # in config.json: {"ends": [16, 20, 24], "mean": 20, "checks": "verifier/1", "heads": 16}


def digits_of(text: Text, size: int) -> Tensor:
    """Return a mask [size] bool of the tokens that contain a digit."""
    found = torch.zeros(size, dtype=torch.bool)
    for token, number in text.vocabulary().items():
        if number < size and any(one.isdigit() for one in token):
            found[number] = True
    return found


def readings_width(hidden: int, layers: Layers, *, checks: bool) -> int:
    """Return the number of values in a step's readings."""
    return hidden * (len(layers.ends) + 1) + 2 * len(SURPRISES) + 3 + checks * len(NUMBERS)


class StackedHead(TokenFamily):
    """A language model whose readings of a step are judged by one logistic head."""

    name = OURS
    takes = ("separator",)
    spare = ()

    def prepare(self) -> None:
        self.layout = StepLayout(self.text, self.spec.option("separator", "\n"))
        self.said: Any = self.checkpoint.config.get(OURS)
        self.layers = self.layers_of()
        self.checks, self.heads = self.beside()
        self.tied = LM_HEAD not in self.checkpoint.shapes

    def layers_of(self) -> Layers:
        """Return the layers that the head reads, according to config.json."""
        try:
            found = Layers(tuple(int(one) for one in self.said["ends"]), int(self.said["mean"]))
        except (TypeError, KeyError, ValueError) as error:
            raise CheckpointError(
                f"config.json does not say what the head reads ({OURS}: ends, mean), so another program made it."
            ) from error
        if not all(1 <= layer <= self.config.num_hidden_layers for layer in found.all):
            raise CheckpointError(
                f"config.json has {self.config.num_hidden_layers} layers; the head reads {found.all}."
            )
        return found

    def beside(self) -> tuple[bool, int]:
        """Return whether the head reads checks, and the number of heads fitted on resampled problems."""
        version, heads = self.said.get("checks"), self.said.get("heads", 0)
        if version not in (None, VERSION):
            raise CheckpointError(
                f"The head reads version {version} of the checks, but this version of Stepmark has {VERSION}. "
                "Train it again."
            )
        if not isinstance(heads, int) or heads < 0:
            raise CheckpointError(f"config.json gives {heads!r} as the number of heads fitted on resampled problems.")
        return version is not None, heads

    @property
    def facts(self) -> str:
        """See TokenFamily."""
        return f" checks {VERSION}" if self.checks else ""

    def head_shapes(self) -> dict[str, Shape]:
        hidden, words = self.config.hidden_size, self.config.vocab_size
        width = readings_width(hidden, self.layers, checks=self.checks)
        shapes: dict[str, Shape] = {"head.weight": (1, width), "head.bias": (1,)}
        if self.heads:
            shapes |= {"drawn.weight": (self.heads, width), "drawn.bias": (self.heads,)}
        return shapes if self.tied else shapes | {LM_HEAD: (words, hidden)}

    def render(self, problem: str, steps: Sequence[str]) -> Rendered:
        rendered = self.layout.render(problem, steps)
        return rendered._replace(checks=numbers_of(problem, steps)) if self.checks else rendered

    def log_correct(self, hidden: Tensor) -> Tensor:
        """Compute from readings [n, d]."""
        return logsigmoid(hidden @ self.head["head.weight"][0] + self.head["head.bias"])

    def values(self, tree: Tree, rendered: Sequence[Rendered]) -> list[list[float]]:
        """See TokenFamily."""
        return [one.values for one in self.opinions(tree, rendered)]

    def opinions(self, tree: Tree, rendered: Sequence[Rendered]) -> list[Opinion]:
        """See TokenFamily."""
        found = self.predictor().read(tree, rendered)
        return [self.opinion(blocks, one) for blocks, one in zip(found, rendered, strict=True)]

    def opinion(self, blocks: dict[str, Tensor], rendered: Rendered) -> Opinion:
        """Return one trace's log P(right) by step, and how far the heads fitted on resampled problems differ on P."""
        checks = [torch.tensor(rendered.checks, dtype=torch.float32)] if self.checks else []
        readings = torch.cat([*(blocks[name] for name in READ), *checks], 1)
        values = self.log_correct(readings).double().tolist()
        if not self.heads:
            return Opinion(values)
        said = (readings @ self.head["drawn.weight"].T + self.head["drawn.bias"]).sigmoid()
        return Opinion(values, said.std(1, correction=0).tolist())

    def predictor(self) -> Predictor:
        """Return the predictor, made once."""
        if not hasattr(self, "_predictor"):
            table = self.decoder.model.embed_tokens.weight if self.tied else self.head[LM_HEAD].to(self.decoder.dtype)
            self.head = {name: one.cpu() for name, one in self.head.items() if name != LM_HEAD}
            self._predictor = Predictor(self.decoder, table, digits_of(self.text, len(table)), self.layers)
        return self._predictor
