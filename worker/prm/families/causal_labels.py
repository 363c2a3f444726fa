"""Language models whose verdict is the next-token distribution over two label tokens (Math-Shepherd, RLHFlow)."""

from torch import Tensor

from worker.prm.checkpoint import Shape
from worker.prm.errors import CheckpointError
from worker.prm.family import TokenFamily, log_share


class CausalLabels(TokenFamily):
    """Two rows of the LM head, the right label first: logits over the whole vocabulary are never computed."""

    spare = ()
    labels: tuple[int, int]

    def head_shapes(self) -> dict[str, Shape]:
        shape = (self.config.vocab_size, self.config.hidden_size)
        if "lm_head.weight" in self.checkpoint.shapes:
            return {"lm_head.weight": shape}
        if self.config.tie_word_embeddings:
            return {}
        raise CheckpointError(
            f"The family {self.name} needs lm_head.weight {list(shape)}; the checkpoint has none and config.json "
            "does not tie it to the embeddings."
        )

    def label_rows(self) -> Tensor:
        """Return the two rows [2, h] in float32."""
        if "rows" not in self.head:
            whole = self.head.pop("lm_head.weight", None)
            if whole is None:
                whole = self.decoder.model.get_input_embeddings().weight
            self.head["rows"] = whole[list(self.labels)].float().clone()
        return self.head["rows"]

    def log_correct(self, hidden: Tensor) -> Tensor:
        return log_share(hidden @ self.label_rows().T, [0])

    def single(self, text: str) -> int:
        """Return the id of a text that ends in one known token, as the authors look it up: encode(text)[-1]."""
        ids = self.text.ids(text)
        if not ids:
            raise CheckpointError(f"The tokenizer makes no token of {text!r}, which the family {self.name} needs.")
        return ids[-1]
