"""A decoder with a step head that can be trained: stock transformers code, packed attention."""

import importlib
from collections.abc import Mapping, Sequence
from typing import Any

import torch
from torch import Tensor, nn

from worker.prm import packing
from worker.prm.backbone import PREFIX, empty_decoder
from worker.prm.checkpoint import Checkpoint
from worker.prm.checkpoint_writer import decoder_shapes
from worker.prm.errors import SpecError
from worker.prm.forward import sliding_window
from worker.prm.options import LORA, TrainOptions
from worker.prm.packing import Pack


class StepModel(nn.Module):
    """Decoder and linear head. The head starts at 0: at first it says the same about every step."""

    def __init__(self, checkpoint: Checkpoint, config: Any, labels: int, options: TrainOptions, device: torch.device):
        super().__init__()
        _tokens, self.dtype, checkpointing = options.on(device)
        self.device, self.lora = device, options.method == LORA
        self.layers = cut_off(config, options.layers)
        # Trained weights stay in float32; a frozen base does not have to.
        kept = self.dtype if self.lora else torch.float32
        self.decoder: Any = read_decoder(checkpoint, config, self.layers, kept, device)
        self.window = sliding_window(config)
        self.score: nn.Linear = nn.Linear(config.hidden_size, labels, device=device)
        nn.init.zeros_(self.score.weight)
        nn.init.zeros_(self.score.bias)
        if self.lora:
            adapters().add(self.decoder, options.rank, options.alpha)
        if checkpointing:
            self.decoder.activation_checkpointing_enable({"use_reentrant": False})  # type: ignore[operator]  # a method

    def forward(self, pack: Pack) -> Tensor:
        """Return logits [m, labels] at the pack's targets, in float32."""
        with torch.autocast(self.device.type, torch.bfloat16, enabled=self.dtype == torch.bfloat16):
            states = self.decoder(
                input_ids=pack.ids,
                position_ids=pack.positions,
                use_cache=False,
                packed=pack.bounds,
                masks=pack.masks(self.window),
                window=self.window,
            ).last_hidden_state[0]
        logits: Tensor = self.score(states[pack.places].float())
        return logits

    def trained(self) -> dict[str, nn.Parameter]:
        """The weights that training changes, by name."""
        return {name: one for name, one in self.named_parameters() if one.requires_grad}

    @torch.no_grad()
    def finish(self, shift: Tensor, temperature: float) -> None:
        """Add `shift` [labels] to the logits, then divide them by the temperature."""
        self.score.bias.add_(shift.to(self.score.bias)).div_(temperature)
        self.score.weight.div_(temperature)

    def tensors(self) -> dict[str, Tensor]:
        """Return the weights, named as in a transformers token classifier; adapters merged, all of one number type."""
        body: Mapping[str, Tensor] = adapters().merged(self.decoder) if self.lora else self.decoder.state_dict()
        named = {PREFIX + name: tensor for name, tensor in body.items()}
        named |= {"score.weight": self.score.weight.detach(), "score.bias": self.score.bias.detach()}
        return {name: tensor.detach().to("cpu", self.dtype) for name, tensor in named.items()}


def adapters() -> Any:
    """Return worker.prm.adapters, which takes seconds to import: see there."""
    return importlib.import_module("worker.prm.adapters")


def cut_off(config: Any, layers: Sequence[int]) -> int:
    """Return how many layers are kept, and set it in `config`. Raises SpecError."""
    depth = int(config.num_hidden_layers)
    kept = layers[0] if layers else depth
    if not 1 <= kept <= depth:
        raise SpecError(f"The base has {depth} layers; requested: {kept}.")
    config.num_hidden_layers = kept
    if getattr(config, "layer_types", None):
        config.layer_types = config.layer_types[:kept]
    return kept


def read_decoder(
    checkpoint: Checkpoint, config: Any, layers: int, dtype: torch.dtype, device: torch.device
) -> nn.Module:
    """Return the decoder's weights in stock modules, ready to be trained."""
    model: Any = empty_decoder(config)
    model.config._attn_implementation = packing.NAME
    tensors = checkpoint.read(decoder_shapes(checkpoint, layers), dtype, device)
    model.load_state_dict({name.removeprefix(PREFIX): tensor for name, tensor in tensors.items()}, assign=True)
    # Its tables are computed, not stored, so they are not on a device yet.
    model.rotary_emb = type(model.rotary_emb)(config).to(device)
    model.train().requires_grad_(True)
    return model
