"""Implicit PRMs (EurusPRM-Stage1 and -Stage2): beta times the log ratio of two language models.

Chat template, user = problem, assistant = steps "Step k: ..." joined by blank lines. r(t) = beta * (log policy - log
reference) of token t. The value after step k is the sum of r from the first answer token through the last token of step
k, and the number of step k is how much it changed that value. These are real numbers, not probabilities: they rank
traces of one model, are never multiplied and never compared with another PRM. `base` is the folder of the reference
model. `last` aggregates to the value after the last step (the authors' Stage 2), `min` to the worst step (Stage 1).

Source: model card of PRIME-RL/EurusPRM-Stage1; PRIME-RL/ImplicitPRM, eval.
"""

from collections.abc import Sequence
from pathlib import Path

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor

from worker.prm.checkpoint import Checkpoint
from worker.prm.errors import CheckpointError, SpecError
from worker.prm.families.causal_labels import CausalLabels
from worker.prm.families.math_shepherd import numbered
from worker.prm.family import LOG_RATIO
from worker.prm.spec import PrmSpec
from worker.prm.text import Rendered
from worker.prm.tree import Indices, Tree

BETA = 0.001
ROWS = 512  # tokens whose distribution over the vocabulary is in memory at once


class LanguageModel(CausalLabels):
    """One of the two models: computes the log probability of every token of a tree."""

    name = "implicit"
    takes = ("beta", "number_steps", "reference_checksum")
    aggregations = ("last", "min", "mean")
    scale = LOG_RATIO

    def prepare(self) -> None:
        self.text.opening([{"role": "user", "content": "x"}])

    def render(self, problem: str, steps: Sequence[str]) -> Rendered:
        opening = text = self.text.opening([{"role": "user", "content": problem}])
        marks = []
        for number, step in enumerate(numbered(steps) if self.spec.option("number_steps", True) else steps):
            text += ("\n\n" if number else "") + step.strip()
            marks.append(len(text) - 1)
        return self.text.marked(text, marks, len(opening))

    def log_probabilities(self, tree: Tree, tokens: Indices) -> NDArray[np.float64]:
        """Return log P(token | the tokens before it) [n] for these packed indices, none the first of its trace."""
        parents = tree.parents()[tokens]
        wanted = np.unique(parents)
        hidden = self.decoder.hidden(tree, wanted)
        targets = torch.from_numpy(tree.tokens[tokens]).to(self.device)
        rows = torch.from_numpy(np.searchsorted(wanted, parents)).to(self.device)
        found = [
            self.log_softmax_at(hidden[rows[at : at + ROWS]], targets[at : at + ROWS])
            for at in range(0, len(rows), ROWS)
        ]
        return torch.cat(found).double().cpu().numpy()

    def log_softmax_at(self, hidden: Tensor, targets: Tensor) -> Tensor:
        """Return the log probabilities [n] of the targets in float32."""
        weight = self.head.get("lm_head.weight")
        if weight is None:
            weight = self.decoder.model.get_input_embeddings().weight
        logits = (hidden.to(weight.dtype) @ weight.T).float()
        return logits.gather(1, targets[:, None])[:, 0] - logits.logsumexp(dim=-1)


class Implicit(LanguageModel):
    """The policy, with its reference model."""

    def __init__(self, spec: PrmSpec, checkpoint: Checkpoint, device: torch.device) -> None:
        if not spec.base:
            raise SpecError("An implicit PRM needs base: the folder of the reference model it was trained against.")
        super().__init__(spec, checkpoint, device)
        reference = Checkpoint(checkpoint.folder.parent / Path(spec.base))
        reference.verify(spec.option("reference_checksum", None))
        self.reference = LanguageModel(spec, reference, device)
        if not self.text.same_tokens(self.reference.text):
            raise CheckpointError(
                f"{spec.base} has another tokenizer, so a ratio of the probabilities would mean nothing."
            )

    def values(self, tree: Tree, rendered: Sequence[Rendered]) -> list[list[float]]:
        spans = [path[one.begins : one.positions[-1] + 1] for path, one in zip(tree.paths, rendered, strict=True)]
        tokens = np.unique(np.concatenate(spans))
        ratio = self.log_probabilities(tree, tokens) - self.reference.log_probabilities(tree, tokens)
        ratio *= float(self.spec.option("beta", BETA))
        found = []
        for span, one in zip(spans, rendered, strict=True):
            value = np.cumsum(ratio[np.searchsorted(tokens, span)])[np.array(one.positions) - one.begins]
            found.append(np.diff(value, prepend=0.0).tolist())
        return found
