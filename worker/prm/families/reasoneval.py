"""The family of ReasonEval-7B and -34B (GAIR).

Text: "Question:\\n{q}\\nAnswer:\\nLet's think step by step.\\n" and the steps with nothing between them, each tokenized
separately: the authors put pad tokens between them to find their ends and remove those again. Three labels, negative,
neutral, positive; validity = neutral + positive. Aggregated by the minimum.

34B reads the last token of a step. The authors' 7B code reads the token *before* it: its pad token is its BOS, so the
BOS is counted as one more separator and every index moves by one. It was trained and published that way, so that is its
default (`read`: "last" or "before_last"). Source: GAIR-NLP/ReasonEval, codes/examples.py.
"""

from collections.abc import Sequence

from torch import Tensor

from worker.prm.checkpoint import Shape
from worker.prm.errors import CheckpointError, SpecError
from worker.prm.family import TokenFamily, log_share
from worker.prm.text import LostPositionError, Rendered

READS = {"last": 0, "before_last": 1}


class ReasonEval(TokenFamily):
    """A decoder with `score_head`; 7B and 34B name its size and bias differently in config.json."""

    name = "reasoneval"
    takes = ("read",)
    authors_have_own_class = True

    def prepare(self) -> None:
        record = self.checkpoint.config
        self.is_7b = "score_dimension" in record
        labels = record.get("score_dimension", record.get("score_dim"))
        if labels != 3:
            raise CheckpointError(
                f"score_dimension (or score_dim) in config.json is {labels!r}; reasoneval has 3 labels."
            )
        self.has_bias = bool(record.get("use_bias", record.get("bias", False)))
        read = self.spec.option("read", "before_last" if self.is_7b else "last")
        if read not in READS:
            raise SpecError(f"read is {read!r}; it must be {' or '.join(READS)}.")
        self.back = READS[read]

    def head_shapes(self) -> dict[str, Shape]:
        weight: dict[str, Shape] = {"score_head.weight": (3, self.config.hidden_size)}
        return {**weight, "score_head.bias": (3,)} if self.has_bias else weight

    def render(self, problem: str, steps: Sequence[str]) -> Rendered:
        prompt = self.text.ids(f"Question:\n{problem}\nAnswer:\nLet's think step by step.\n")
        ids = [*self.text.bos(), *prompt]
        begins, positions = len(ids), []
        for step in steps:
            tokens = self.text.ids(step)
            if not tokens:
                raise LostPositionError("the tokenizer makes no token of a step")
            ids += tokens
            positions.append(len(ids) - 1 - self.back)
        return Rendered(ids, positions, begins)

    def log_correct(self, hidden: Tensor) -> Tensor:
        logits = hidden @ self.head["score_head.weight"].T
        if self.has_bias:
            logits = logits + self.head["score_head.bias"]
        return log_share(logits, [1, 2] if self.spec.neutral == "positive" else [2])
