"""Several processes that train one model: started by torchrun, each with a share of every batch.

Each process computes the gradients of its share. They are summed in one call before the step, so all processes keep the
same weights. They do not communicate otherwise, so that one of them may halve its packs without the others waiting in
the wrong call.
"""

import os
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import NamedTuple

import torch
from torch import Tensor, distributed


class Processes(NamedTuple):
    """The number of processes, the rank of this one, and its device."""

    many: int
    rank: int
    device: torch.device

    @property
    def first(self) -> bool:
        """Whether this one writes files and reports."""
        return self.rank == 0

    def sum(self, tensors: Sequence[Tensor]) -> None:
        """Replace each tensor by its sum over all processes, in one message per number type."""
        if self.many == 1:
            return
        for dtype in sorted({tensor.dtype for tensor in tensors}, key=str):
            those = [tensor for tensor in tensors if tensor.dtype == dtype]
            flat = torch.cat([tensor.reshape(-1) for tensor in those])
            distributed.all_reduce(flat)
            for tensor, part in zip(those, flat.split([one.numel() for one in those]), strict=True):
                tensor.copy_(part.view_as(tensor))

    def agree(self, asked: bool) -> bool:
        """Return whether any of the processes asks for it."""
        said = torch.tensor([float(asked)], device=self.device)
        self.sum([said])
        return bool(said.item())

    def wait(self) -> None:
        """Wait until all processes are here."""
        if self.many > 1:
            distributed.barrier()


@contextmanager
def processes() -> Iterator[Processes]:
    """Yield the processes given by the environment that torchrun sets; a single one without it."""
    count, cuda = int(os.environ.get("WORLD_SIZE", "1")), torch.cuda.is_available()
    device = torch.device("cuda", int(os.environ.get("LOCAL_RANK", "0"))) if cuda else torch.device("cpu")
    if count == 1:
        yield Processes(1, 0, device)
        return
    if cuda:
        torch.cuda.set_device(device)
    distributed.init_process_group("nccl" if cuda else "gloo")
    try:
        yield Processes(count, distributed.get_rank(), device)
    finally:
        distributed.destroy_process_group()
