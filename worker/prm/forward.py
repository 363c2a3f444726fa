"""Runs a tree through a decoder, chunk by chunk; only the hidden states that will be read are kept."""

import logging
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import Any

import torch
from torch import Tensor, nn

from worker.prm.attention import Chunk
from worker.prm.tree import Indices, Tree

log = logging.getLogger(__name__)

# Tokens of one pass: enough that reading the weights costs little compared with using them.
CPU_CHUNK = 2048
CUDA_CHUNK = 8192
SMALLEST_CHUNK = 16
# The messages of torch's CPU allocator and oneDNN.
OUT_OF_MEMORY = (
    "not enough memory",
    "can't allocate memory",
    "could not create a memory",
    "could not create a primitive",
)


class Decoder:
    """A stock transformers decoder (without head) that reads trees. `chunk` is halved when memory runs out."""

    def __init__(self, model: nn.Module, chunk: int | None = None) -> None:
        self.model: Any = model
        self.config: Any = model.config
        parameter = next(model.parameters())
        self.device, self.dtype = parameter.device, parameter.dtype
        self.chunk = chunk or (CUDA_CHUNK if self.device.type == "cuda" else CPU_CHUNK)
        self.window = sliding_window(self.config)

    def hidden(self, tree: Tree, wanted: Indices) -> Tensor:
        """Return the last hidden states [len(wanted), h] at these packed indices (ascending)."""
        last = len(self.model.layers)
        return self.hidden_after(tree, wanted, (last,))[last]

    @torch.inference_mode()
    def hidden_after(self, tree: Tree, wanted: Indices, layers: Sequence[int]) -> dict[int, Tensor]:
        """Return the same after each of these layers (1: after the first), as if the decoder ended there: through its
        last norm. One pass for all.
        """
        size = self.config.hidden_size
        found = {
            layer: torch.empty(len(wanted), size, dtype=self.dtype, device=self.device) for layer in sorted(layers)
        }
        places = torch.from_numpy(wanted)
        carried: list[tuple[Tensor, Tensor]] = []
        start = 0
        with self.watching(layers) as seen:
            while start < len(tree):
                chunk, last = self.smaller_until_it_fits(tree, start, carried)
                here = (places >= chunk.start) & (places < chunk.stop)
                rows = places[here] - chunk.start
                for layer, kept in found.items():
                    kept[here] = self.model.norm(seen[layer][rows]) if layer in seen else last[rows]
                start, carried = chunk.stop, chunk.carried
        return found

    @contextmanager
    def watching(self, layers: Sequence[int]) -> Iterator[dict[int, Tensor]]:
        """Yield the states [tokens, h] of the layers below the last from the latest pass, before any norm."""
        seen: dict[int, Tensor] = {}

        def watch(layer: int) -> Any:
            def keep(_module: Any, _inputs: Any, output: Any) -> None:
                states = output[0] if isinstance(output, tuple) else output
                seen[layer] = states.reshape(-1, states.shape[-1])

            return self.model.layers[layer - 1].register_forward_hook(keep)

        hooks = [watch(layer) for layer in layers if layer < len(self.model.layers)]
        try:
            yield seen
        finally:
            for hook in hooks:
                hook.remove()

    def smaller_until_it_fits(
        self, tree: Tree, start: int, carried: list[tuple[Tensor, Tensor]]
    ) -> tuple[Chunk, Tensor]:
        """Run one chunk from `start`. Out of memory halves the chunk permanently and tries again from there."""
        while True:
            stop = min(start + self.chunk, len(tree))
            try:
                return self.run(Chunk(tree, start, stop, self.window, carried))
            except RuntimeError as error:
                if not is_out_of_memory(error) or self.chunk <= SMALLEST_CHUNK:
                    raise
            self.chunk = max(SMALLEST_CHUNK, self.chunk // 2)
            log.warning("out of memory: going on with chunks of %s tokens", self.chunk)
            if self.device.type == "cuda":
                torch.cuda.empty_cache()

    def run(self, chunk: Chunk) -> tuple[Chunk, Tensor]:
        """Run all layers over one chunk. Return it with its hidden states [tokens, h]."""
        span = slice(chunk.start, chunk.stop)
        states = self.model(
            input_ids=torch.from_numpy(chunk.tree.tokens[span]).to(self.device)[None],
            position_ids=torch.from_numpy(chunk.tree.depth[span]).to(self.device)[None],
            use_cache=False,
            tree=chunk,
        ).last_hidden_state
        return chunk, states[0]


def sliding_window(config: Any) -> int | None:
    """Return how far back every layer sees; None for all the way. Layers that differ are refused when loading."""
    uses = getattr(config, "use_sliding_window", True)
    return getattr(config, "sliding_window", None) if uses else None


def is_out_of_memory(error: RuntimeError) -> bool:
    """Return whether memory ran out: on CUDA, torch raises a class of its own; on a CPU, only the message shows it."""
    return isinstance(error, torch.OutOfMemoryError) or any(words in str(error) for words in OUT_OF_MEMORY)
