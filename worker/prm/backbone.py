"""A stock decoder of transformers with a checkpoint's weights, loaded into our attention and our matrix products."""

from typing import Any

import torch
from torch import Tensor, nn
from transformers import (
    LlamaConfig,
    LlamaModel,
    MistralConfig,
    MistralModel,
    Qwen2Config,
    Qwen2Model,
    Qwen3Config,
    Qwen3Model,
)

from worker.prm import attention
from worker.prm.checkpoint import Checkpoint, Shape, check_tensors
from worker.prm.errors import CheckpointError
from worker.prm.forward import Decoder
from worker.prm.fused_attention import fuse_attention
from worker.prm.kernels import use_onednn

STOCK: dict[str, tuple[type[Any], type[Any]]] = {
    "llama": (LlamaConfig, LlamaModel),
    "mistral": (MistralConfig, MistralModel),
    "qwen2": (Qwen2Config, Qwen2Model),
    "qwen3": (Qwen3Config, Qwen3Model),
}
PREFIX = "model."


def stock_config(checkpoint: Checkpoint, authors_have_own_class: bool) -> Any:
    """Return config.json as the stock configuration class. Raises CheckpointError if stock code cannot compute it.

    `auto_map` points to Python code in the checkpoint, which is never run. A family that builds the authors' head
    itself does not need it. For any other family, it means that the numbers would differ from what the authors
    intended.
    """
    record = checkpoint.config
    if record.get("auto_map") and not authors_have_own_class:
        raise CheckpointError(
            "config.json has auto_map: the checkpoint wants to run its own Python code, which Stepmark never does. "
            "Use the family that knows its head, or serve the model and register it as a pooling_server."
        )
    name = record.get("model_type")
    if name not in STOCK:
        raise CheckpointError(f"model_type in config.json is {name!r}. Supported types: {', '.join(STOCK)}.")
    if record.get("quantization_config"):
        raise CheckpointError("config.json has quantization_config: only unquantized weights are supported.")
    config = STOCK[name][0].from_dict({key: value for key, value in record.items() if key != "auto_map"})
    kinds = set(getattr(config, "layer_types", None) or [])
    if len(kinds) > 1:
        raise CheckpointError("layer_types in config.json mixes full and sliding attention, which is not supported.")
    return config


def empty_decoder(config: Any) -> nn.Module:
    """Return the stock decoder on no device: names and shapes then cost nothing."""
    config._attn_implementation = attention.NAME
    with torch.device("meta"):
        model: nn.Module = STOCK[config.model_type][1](config)
    return model


def read_weights(
    checkpoint: Checkpoint,
    config: Any,
    head: dict[str, Shape],
    spare: tuple[str, ...],
    family: str,
    dtype: torch.dtype,
    device: torch.device,
) -> tuple[Decoder, dict[str, Tensor]]:
    """Check every name and shape by the headers, then read the decoder in `dtype` and the head's tensors in float32."""
    model = empty_decoder(config)
    body = {PREFIX + name: tuple(tensor.shape) for name, tensor in model.state_dict().items()}
    check_tensors(checkpoint.shapes, {**body, **head}, spare, family)
    tensors = checkpoint.read(body, dtype, device)
    model.load_state_dict({name.removeprefix(PREFIX): tensor for name, tensor in tensors.items()}, assign=True)
    # Its tables are computed, not stored, so they are not on a device yet.
    model.rotary_emb = type(model.rotary_emb)(config).to(device)
    model.eval().requires_grad_(False)
    if device.type == "cpu":
        fuse_attention(model)
        use_onednn(model)
    return Decoder(model), checkpoint.read(head, torch.float32, device)
