"""Fused attention reads a tree as the stock modules do, in every existing architecture."""

from random import Random
from typing import Any

import numpy as np
import pytest
import torch

from worker.prm.attention import NAME
from worker.prm.backbone import STOCK
from worker.prm.forward import Decoder
from worker.prm.fused_attention import FusedAttention, fuse_attention
from worker.prm.kernels import use_onednn
from worker.prm.tree import build_tree

SIZES = {"hidden_size": 24, "intermediate_size": 40, "num_hidden_layers": 3, "vocab_size": 50, "head_dim": 8}
HEADS = {"num_attention_heads": 4, "num_key_value_heads": 2}
MORE: dict[str, dict[str, Any]] = {"llama": {"attention_bias": True}, "mistral": {"sliding_window": 5}}


@pytest.mark.parametrize("name", STOCK)
@pytest.mark.parametrize("chunk", [16, 64])
def test_states_of_a_tree_are_those_of_the_stock_modules(name: str, chunk: int) -> None:
    torch.manual_seed(7)
    config, made = STOCK[name]
    model = made(config(**SIZES, **HEADS, **MORE.get(name, {}), attn_implementation=NAME)).eval()
    for parameter in model.parameters():  # norms and biases that have an effect
        parameter.data.add_(0.1 * torch.randn_like(parameter))
    random = Random(3)
    shared = [random.randrange(50) for _ in range(9)]
    tree = build_tree([[*shared, *(random.randrange(50) for _ in range(random.randint(3, 20)))] for _ in range(5)])
    wanted = np.arange(len(tree))
    expected = Decoder(model, chunk).hidden_after(tree, wanted, (1, 3))
    fuse_attention(model)
    use_onednn(model)
    assert all(isinstance(layer.self_attn, FusedAttention) for layer in model.layers)
    found = Decoder(model, chunk).hidden_after(tree, wanted, (1, 3))
    for layer, states in expected.items():
        torch.testing.assert_close(found[layer], states, atol=2e-5, rtol=1e-4)
