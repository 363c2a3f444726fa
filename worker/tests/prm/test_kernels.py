"""Matrix products by oneDNN equal torch's, whichever of the two this processor prefers."""

import pytest
import torch
from transformers import LlamaConfig, LlamaModel, Qwen2Config, Qwen2Model

from worker.prm import kernels
from worker.prm.attention import attend_batched, attend_float32
from worker.prm.kernels import GatedMlp, OneDnnLinear, has_onednn, replace_children, silu_gain

pytestmark = pytest.mark.skipif(not has_onednn(), reason="this build of torch has no oneDNN linear")
SIZES = {"hidden_size": 24, "intermediate_size": 40, "num_hidden_layers": 2, "vocab_size": 50}
HEADS = {"num_attention_heads": 4, "num_key_value_heads": 2}


@pytest.mark.parametrize("products", [False, True])
@pytest.mark.parametrize("model", [LlamaModel, Qwen2Model])
def test_a_model_computes_the_same_with_other_products_and_norms(model: type, products: bool) -> None:
    torch.manual_seed(1)
    config = {LlamaModel: LlamaConfig, Qwen2Model: Qwen2Config}[model](**SIZES, **HEADS)
    plain = model(config).eval()
    ids = torch.randint(0, 50, (2, 30))
    with torch.inference_mode():
        expected = plain(ids).last_hidden_state
        replace_children(plain, products=products)
        found = plain(ids).last_hidden_state
    assert isinstance(plain.layers[0].mlp, GatedMlp)
    assert isinstance(plain.layers[0].self_attn.o_proj, OneDnnLinear) == products
    torch.testing.assert_close(found, expected, atol=1e-5, rtol=1e-4)


def test_attention_head_by_head_is_that_of_all_heads_at_once() -> None:
    torch.manual_seed(1)
    query, key, value = torch.randn(3, 14, 8), torch.randn(3, 20, 8), torch.randn(3, 20, 8)
    mask = torch.where(torch.rand(14, 20) < 0.3, -torch.inf, 0.0)
    mask[:, 0] = 0.0
    found = attend_float32(query, key, value, mask, 0.35)
    torch.testing.assert_close(found, attend_batched(query, key, value, mask, 0.35), atol=1e-5, rtol=1e-4)


@pytest.mark.parametrize("gain", [0.5, 2.0])
def test_a_gated_mlp_is_the_same_whoever_does_its_silu(gain: float, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(kernels, "silu_gain", lambda dtype: gain)
    torch.manual_seed(1)
    gate, up, down = (torch.nn.Linear(*shape) for shape in ((24, 40), (24, 40), (40, 24)))
    inputs = torch.randn(7, 24)
    with torch.inference_mode():
        expected = down(torch.nn.functional.silu(gate(inputs)) * up(inputs))
        found = GatedMlp(gate, up, down, products=True)(inputs)
    torch.testing.assert_close(found, expected, atol=1e-6, rtol=1e-5)


def test_which_way_is_quicker_here_is_found_out_once() -> None:
    assert silu_gain(torch.float32) == silu_gain(torch.float32) > 0
