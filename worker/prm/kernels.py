"""Matrix products that torch does not choose on its own.

torch sends float32 products to MKL, which takes a slow path on some AMD processors. oneDNN, which torch ships for
bfloat16, is about twice as fast there, and a tenth slower on others. So each process tries both once. Results differ
only by rounding.
"""

import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import cache
from typing import Any

import torch
from torch import Tensor, nn
from torch.nn.functional import linear, rms_norm, silu
from transformers.activations import SiLUActivation
from transformers.models.llama.modeling_llama import LlamaRMSNorm
from transformers.models.mistral.modeling_mistral import MistralRMSNorm
from transformers.models.qwen2.modeling_qwen2 import Qwen2RMSNorm
from transformers.models.qwen3.modeling_qwen3 import Qwen3RMSNorm

# Those that return weight * x / rms(x); others (1 + weight, for example) would need their own code.
STOCK_NORMS = (LlamaRMSNorm, MistralRMSNorm, Qwen2RMSNorm, Qwen3RMSNorm)
# The rows for which weights are laid out: those of one chunk (a hint, not a limit).
ROWS = 2048
CLEARLY, MUCH = 1.05, 1.4
Biases = tuple[Tensor | None, Tensor | None]


@cache
def has_onednn() -> bool:
    """Return whether this build of torch has oneDNN's linear for dense float32 weights."""
    if not torch.backends.mkldnn.is_available() or not hasattr(torch.ops.mkldnn, "_linear_pointwise"):
        return False
    try:
        onednn_linear(torch.zeros(2, 8), torch.zeros(4, 8))
    except (RuntimeError, NotImplementedError):
        return False
    return True


@cache
def onednn_gain() -> float:
    """Return how many times faster oneDNN multiplies float32 here than torch alone; tried on one product, in 50 ms."""
    if not has_onednn():
        return 0.0
    left, right = torch.randn(256, 1024), torch.randn(1024, 1024)
    packed = torch.ops.mkldnn._reorder_linear_weight(right, ROWS)
    return _seconds(lambda: linear(left, right)) / _seconds(lambda: onednn_linear(left, packed))


def onednn_is_faster() -> bool:
    """Return whether the weights' products are computed by oneDNN."""
    return onednn_gain() > CLEARLY


def onednn_is_much_faster() -> bool:
    """Return whether small products are too, head by head, which takes three calls instead of one."""
    return onednn_gain() > MUCH


@cache
def silu_gain(dtype: torch.dtype) -> float:
    """Return how many times faster a gated MLP is here if oneDNN computes silu and product while it writes, rather than
    torch afterwards. It is tried once for each type, in 100 ms. With only AVX2, oneDNN's silu costs more than a pass
    over memory.
    """
    inputs = torch.randn(256, 512).to(dtype)
    gate, up = (torch.ops.mkldnn._reorder_linear_weight(torch.randn(1024, 512).to(dtype), ROWS) for _ in range(2))

    def after() -> Tensor:
        return silu(onednn_linear(inputs, gate), inplace=True).mul_(onednn_linear(inputs, up))

    return _seconds(after) / _seconds(lambda: _gated_within(inputs, gate, up))


def _gated_within(inputs: Tensor, gate: Tensor, up: Tensor, biases: Biases = (None, None)) -> Tensor:
    """Return silu(gate(x)) * up(x), both computed while the products are written."""
    gated = torch.ops.mkldnn._linear_pointwise(inputs, gate, biases[0], "swish", [], "")
    found: Tensor = torch.ops.mkldnn._linear_pointwise.binary(inputs, gated, up, biases[1], "mul")
    return found


def _seconds(product: Callable[[], Tensor]) -> float:
    """Return the seconds of the fastest of nine runs."""
    found = []
    for _ in range(9):
        began = time.perf_counter()
        product()
        found.append(time.perf_counter() - began)
    return min(found)


@contextmanager
def one_thread(whether: bool = True) -> Iterator[None]:
    """Compute on one thread within the block. Many small products wait longer for their threads to synchronise than
    they compute, and on a machine with other work they wait for that too.
    """
    before = torch.get_num_threads()
    torch.set_num_threads(1 if whether else before)
    try:
        yield
    finally:
        torch.set_num_threads(before)


def has_bfloat16() -> bool:
    """Return whether this processor multiplies bfloat16 itself; if not, bfloat16 is slower than float32."""
    return bool(torch.ops.mkldnn._is_mkldnn_bf16_supported())


def onednn_linear(inputs: Tensor, weight: Tensor, bias: Tensor | None = None) -> Tensor:
    """Return inputs [..., n] @ weight [m, n].T + bias [m]."""
    return torch.ops.mkldnn._linear_pointwise(inputs, weight, bias, "none", [], "")


class OneDnnLinear(nn.Module):
    """nn.Linear by oneDNN. Its weights are laid out once as oneDNN reads them; the old layout is dropped."""

    def __init__(self, linear: nn.Linear) -> None:
        super().__init__()
        self.packed, self.bias = torch.ops.mkldnn._reorder_linear_weight(linear.weight.detach(), ROWS), linear.bias

    def forward(self, inputs: Tensor) -> Tensor:
        return onednn_linear(inputs, self.packed, self.bias)


class GatedMlp(nn.Module):
    """down(silu(gate(x)) * up(x)), computed the faster way here, with either kind of linear."""

    def __init__(self, gate: nn.Linear, up: nn.Linear, down: nn.Linear, *, products: bool) -> None:
        super().__init__()
        linears: list[Any] = [OneDnnLinear(one) if products else one for one in (gate, up, down)]
        self.gate, self.up, self.down = linears
        self.products = products

    def forward(self, inputs: Tensor) -> Tensor:
        if self.products and silu_gain(inputs.dtype) > 1:
            gated = _gated_within(inputs, self.gate.packed, self.up.packed, (self.gate.bias, self.up.bias))
        else:
            gated = silu(self.gate(inputs), inplace=True).mul_(self.up(inputs))
        found: Tensor = self.down(gated)
        return found


class FusedRmsNorm(nn.Module):
    """The stock root mean square norm in one pass over memory instead of five."""

    def __init__(self, norm: Any) -> None:
        super().__init__()
        self.weight, self.epsilon = norm.weight, norm.variance_epsilon

    def forward(self, inputs: Tensor) -> Tensor:
        return rms_norm(inputs, inputs.shape[-1:], self.weight, self.epsilon)


def use_onednn(model: nn.Module) -> None:
    """Replace the norms and gated MLPs of a model on the CPU, and its linear layers where oneDNN is faster. It can then
    no longer be trained or saved.
    """
    dtype = next(model.parameters()).dtype
    if has_onednn() and (dtype != torch.bfloat16 or has_bfloat16()):
        replace_children(model, products=dtype == torch.bfloat16 or onednn_is_faster())


def replace_children(module: nn.Module, *, products: bool) -> None:
    """Replace in a module and everything below it; only norms and gated MLPs, unless `products`."""
    for name, child in list(module.named_children()):
        parts = [getattr(child, part, None) for part in ("gate_proj", "up_proj", "down_proj")]
        gated = [part for part in parts if isinstance(part, nn.Linear)]
        if isinstance(child, STOCK_NORMS):
            setattr(module, name, FusedRmsNorm(child))
        elif len(gated) == 3 and isinstance(getattr(child, "act_fn", None), SiLUActivation | nn.SiLU):
            setattr(module, name, GatedMlp(*gated, products=products))
        elif products and isinstance(child, nn.Linear):
            setattr(module, name, OneDnnLinear(child))
        else:
            replace_children(child, products=products)
