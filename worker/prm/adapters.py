"""LoRA with peft: trains small matrices next to the frozen linear layers, and merges them in at the end.

This is a separate module, loaded only when needed: peft imports accelerate, which takes seconds of start-up that
scoring never needs.
"""

from typing import Any

import torch
from peft import LoraConfig, inject_adapter_in_model
from peft.tuners.lora import LoraLayer
from torch import Tensor, nn

LINEARS = ["q_proj", "k_proj", "v_proj", "o_proj", "gate_proj", "up_proj", "down_proj"]


def add(model: nn.Module, rank: int, alpha: int) -> None:
    """Freeze the model and add adapters (float32; B = 0, so nothing changes at first) to all its linear layers."""
    config = LoraConfig(r=rank, lora_alpha=alpha, lora_dropout=0.0, target_modules=LINEARS, bias="none")
    model.requires_grad_(False)
    inject_adapter_in_model(config, model)
    for name, parameter in model.named_parameters():
        if "lora_" in name:
            parameter.data = parameter.data.float()


@torch.no_grad()
def merged(model: nn.Module) -> dict[str, Tensor]:
    """Return the model's weights under their stock names, each linear layer with its adapter added in float32."""
    tensors: dict[str, Tensor] = {}
    for name, tensor in model.state_dict().items():
        if "lora_" not in name:
            tensors[name.replace(".base_layer.", ".")] = tensor
    for name, module in model.named_modules():
        if isinstance(module, LoraLayer):
            base: Any = module.get_base_layer()
            layer: Any = module  # each kind of layer computes its own delta
            delta = layer.get_delta_weight("default")
            tensors[f"{name}.weight"] = (base.weight.float() + delta.float()).to(base.weight.dtype)
    return tensors
