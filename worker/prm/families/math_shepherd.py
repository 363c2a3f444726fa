"""The family of peiyi9979/math-shepherd-mistral-7b-prm.

Text: problem, a space, then every step followed by " ки" and a newline; read at each ки (12902 with its tokenizer),
where the model predicts + (648) or - (387). The space matters: "9.ки" becomes another token, and the step would have no
score. Tokenized in one piece, as sentencepiece marks spaces at the start of each piece.
"""

import re
from collections.abc import Sequence

from worker.prm.errors import CheckpointError
from worker.prm.families.causal_labels import CausalLabels
from worker.prm.text import LostPositionError, Rendered

TAG = "ки"
NUMBERED = re.compile(r"\s*Step\s+\d+\s*:")


def numbered(steps: Sequence[str]) -> list[str]:
    """Return steps as "Step k: ...", as in the training data. Steps that already begin this way stay as they are."""
    return [step if NUMBERED.match(step) else f"Step {number}: {step}" for number, step in enumerate(steps, start=1)]


class MathShepherd(CausalLabels):
    """A causal language model; safetensors only (the published main branch holds .bin, its refs/pr/5 safetensors)."""

    name = "math_shepherd"
    takes = ("number_steps",)

    def prepare(self) -> None:
        labels = self.text.ids("+ -")
        if len(labels) != 2:
            raise CheckpointError(
                f"The tokenizer makes {len(labels)} tokens of '+ -'; the family {self.name} needs two."
            )
        self.labels = (labels[0], labels[1])
        self.tag = self.single(TAG)

    def render(self, problem: str, steps: Sequence[str]) -> Rendered:
        text, begins, marks = f"{problem} ", len(problem) + 1, []
        for step in numbered(steps) if self.spec.option("number_steps", True) else steps:
            text += f"{step.rstrip()} {TAG}"
            marks.append(len(text) - 1)
            text += "\n"
        rendered = self.text.marked(text[:-1], marks, begins)
        if any(rendered.ids[position] != self.tag for position in rendered.positions):
            raise LostPositionError(f"the tokenizer merges {TAG} with the text around it")
        bos = self.text.bos()
        return Rendered(
            [*bos, *rendered.ids], [position + len(bos) for position in rendered.positions], rendered.begins + len(bos)
        )
