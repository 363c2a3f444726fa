"""Traces packed end to end without padding, and the attention that keeps them apart.

A pack is one row of tokens [1, T]: traces follow each other, positions restart at 0 in each, and a token sees only
earlier ones of its own trace (block-diagonal attention), so a trace's states are the same as alone. Nothing is padded,
and nothing after a trace's last target is computed. A trace may have branches (worker/prm/synthetic_errors.py): tokens
that continue an earlier place of it and that nothing after them sees.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import NamedTuple

import torch
from torch import Tensor, nn
from torch.nn.functional import scaled_dot_product_attention
from transformers import AttentionInterface, AttentionMaskInterface

from worker.prm.attention import no_mask
from worker.prm.examples import OUTCOME, Example
from worker.prm.families.step_classifier import StepLayout

NAME = "stepmark_packed"


class Sample(NamedTuple):
    """One trace: token ids, the places [m] that carry a label and those labels, and which of them metrics count, with
    their step numbers and lengths in characters.

    The last `made` places are of wrong steps that the trainer made: they are learned but never counted. They come with
    `depths` (the place of each token in the text that it ends) and `ends` (where the branch that a token begins or
    belongs to is over); both are empty without branches.
    """

    ids: list[int]
    places: list[int]
    labels: list[int]
    counted: list[int]
    steps: list[int]
    lengths: list[int]
    problem: str
    example: Example | None = None
    weight: float = 1.0
    made: int = 0
    depths: Sequence[int] = ()
    ends: Sequence[int] = ()


def sample_of(example: Example, layout: StepLayout, target: str) -> Sample:
    """Return the sample of an example. Labels are on the last token of each rated step; for an ORM, on every token of
    the steps (Cobbe et al. 2021), and metrics count the last one.
    """
    rendered = layout.render(example.problem, example.steps)
    rated = example.rated
    if target == OUTCOME:
        places = list(range(rendered.begins, rendered.positions[-1] + 1))
        labels, counted = [example.targets[rated[-1]] or 0] * len(places), [len(places) - 1]
    else:
        places = [rendered.positions[step] for step in rated]
        labels, counted = [example.targets[step] or 0 for step in rated], list(range(len(rated)))
    return Sample(
        rendered.ids[: places[-1] + 1],
        places,
        labels,
        counted,
        rated[-1:] if target == OUTCOME else rated,
        [len(example.steps[step]) for step in (rated[-1:] if target == OUTCOME else rated)],
        example.problem,
        example,
        example.weight,
    )


@dataclass(frozen=True)
class Pack:
    """T tokens of whole traces: ids and positions [1, T], where each trace begins and the last ends [traces + 1], and
    places and labels of all targets [m], with places counted in the pack, which of them were made, and how much each
    counts. `ends`: per trace, None without branches.
    """

    ids: Tensor
    positions: Tensor
    bounds: list[int]
    places: Tensor
    labels: Tensor
    made: Tensor
    weights: Tensor
    ends: list[Tensor | None]

    def to(self, device: torch.device) -> "Pack":
        """Return the pack on that device."""
        ids, positions = self.ids.to(device), self.positions.to(device)
        ends = [None if one is None else one.to(device) for one in self.ends]
        places, labels, made = (one.to(device) for one in (self.places, self.labels, self.made))
        return Pack(ids, positions, self.bounds, places, labels, made, self.weights.to(device), ends)

    def masks(self, window: int | None) -> list[Tensor | None]:
        """Return, per trace with branches, the keys each query sees, [t, t] bool: earlier ones in open branches."""
        found: list[Tensor | None] = []
        for start, stop, ends in zip(self.bounds, self.bounds[1:], self.ends, strict=False):
            if ends is None:
                found.append(None)
                continue
            at, depth = torch.arange(stop - start, device=ends.device), self.positions[0, start:stop]
            seen = (at[None, :] <= at[:, None]) & (at[:, None] < ends[None, :])
            found.append(seen if window is None else seen & (depth[:, None] - depth[None, :] < window))
        return found


def pack(samples: Sequence[Sample]) -> Pack:
    """Pack these traces end to end."""
    bounds = [0]
    for sample in samples:
        bounds.append(bounds[-1] + len(sample.ids))
    starts = zip(bounds, samples, strict=False)
    return Pack(
        torch.tensor([[token for sample in samples for token in sample.ids]]),
        torch.tensor([[depth for sample in samples for depth in sample.depths or range(len(sample.ids))]]),
        bounds,
        torch.tensor([start + place for start, sample in starts for place in sample.places]),
        torch.tensor([label for sample in samples for label in sample.labels]),
        made_of(samples),
        weights_of(samples),
        [torch.tensor(sample.ends) if sample.made else None for sample in samples],
    )


def weights_of(samples: Sequence[Sample]) -> Tensor:
    """Return how much each target [m] counts in the loss."""
    return torch.tensor([sample.weight for sample in samples for _label in sample.labels])


def made_of(samples: Sequence[Sample]) -> Tensor:
    """Return, in order, which targets of these samples were made by the trainer, [m] bool."""
    return torch.tensor([at >= len(one.labels) - one.made for one in samples for at in range(len(one.labels))])


def shared_out(samples: Iterable[Sample], tokens: int, shares: int = 1) -> list[list[list[Sample]]]:
    """Pack samples into at most `tokens` tokens each (a longer one is alone), longest first into the fullest pack that
    still holds it (best-fit decreasing). The packs are dealt to `shares` processes, each to the one with the least
    work.
    """
    packs: list[list[Sample]] = []
    room: list[int] = []
    for sample in sorted(samples, key=lambda one: -len(one.ids)):
        fitting = [number for number, left in enumerate(room) if left >= len(sample.ids)]
        if fitting:
            fullest = min(fitting, key=lambda number: room[number])
            packs[fullest].append(sample)
            room[fullest] -= len(sample.ids)
        else:
            packs.append([sample])
            room.append(tokens - len(sample.ids))
    dealt: list[list[list[Sample]]] = [[] for _ in range(shares)]
    work = [0] * shares
    for left, one in sorted(zip(room, packs, strict=True), key=lambda pair: pair[0]):
        lightest = work.index(min(work))
        dealt[lightest].append(one)
        work[lightest] += tokens - left
    return dealt


def packed_attention(
    module: nn.Module,
    query: Tensor,
    key: Tensor,
    value: Tensor,
    attention_mask: Tensor | None,
    scaling: float,
    packed: Sequence[int],
    masks: Sequence[Tensor | None],
    window: int | None = None,
    **_unused: object,
) -> tuple[Tensor, None]:
    """Attend, for transformers in each layer: query [1, H, T, d], key and value [1, Hkv, T, d] -> [1, T, H, d].

    Goes trace by trace through torch's own causal kernel: there is no mask of T x T, and one of t x t only for a trace
    of t tokens with branches.
    """
    groups = query.shape[1] // key.shape[1]
    key, value = key.repeat_interleave(groups, dim=1), value.repeat_interleave(groups, dim=1)
    found = []
    for start, stop, mask in zip(packed, packed[1:], masks, strict=False):
        q, k, v = (tensor[:, :, start:stop] for tensor in (query, key, value))
        if mask is not None:
            found.append(scaled_dot_product_attention(q, k, v, attn_mask=mask, scale=scaling))
        elif window is None or stop - start <= window:
            found.append(scaled_dot_product_attention(q, k, v, is_causal=True, scale=scaling))
        else:
            near = band(stop - start, window, query)
            found.append(scaled_dot_product_attention(q, k, v, attn_mask=near, scale=scaling))
    return torch.cat(found, dim=2).transpose(1, 2), None


def band(size: int, window: int, like: Tensor) -> Tensor:
    """Return a mask [size, size] bool in which a token sees itself and the window - 1 tokens before it."""
    back = torch.arange(size, device=like.device)[:, None] - torch.arange(size, device=like.device)[None, :]
    return (back >= 0) & (back < window)


def register() -> None:
    """Make `attn_implementation=NAME` known to transformers."""
    AttentionInterface.register(NAME, packed_attention)
    AttentionMaskInterface.register(NAME, no_mask)


register()
