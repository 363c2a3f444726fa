"""The radix tree and the attention over it: sharing work changes no number."""

from pathlib import Path
from random import Random

import numpy as np
import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st
from torch.nn.attention.flex_attention import flex_attention
from transformers import AutoModel

from worker.prm import attention, backbone
from worker.prm.attention import Chunk, flex_over
from worker.prm.checkpoint import Checkpoint
from worker.prm.forward import Decoder
from worker.prm.tree import Tree, build_tree
from worker.tests.prm import tiny

# Few different tokens, so that random sequences share prefixes, contain one another and repeat.
SEQUENCES = st.lists(st.lists(st.integers(3, 5), min_size=1, max_size=14), min_size=1, max_size=9)


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tiny.step_classifier(tmp_path_factory.mktemp("tree") / "model", kind="llama")


@pytest.fixture(scope="module")
def decoder(folder: Path) -> Decoder:
    checkpoint = Checkpoint(folder)
    config = backbone.stock_config(checkpoint, False)
    found, _head = backbone.read_weights(
        checkpoint, config, {}, ("score.",), "step_classifier", torch.float32, torch.device("cpu")
    )
    return found


@pytest.fixture(scope="module")
def plain(folder: Path) -> torch.nn.Module:
    return AutoModel.from_pretrained(folder, attn_implementation="eager", dtype=torch.float32).eval()


def all_states(decoder: Decoder, tree: Tree, chunk: int) -> torch.Tensor:
    decoder.chunk = chunk
    return decoder.hidden(tree, np.arange(len(tree)))


@given(SEQUENCES)
def test_a_tree_holds_every_sequence_and_every_shared_beginning_once(sequences: list[list[int]]) -> None:
    tree = build_tree(sequences)
    beginnings = {tuple(one[:end]) for one in sequences for end in range(1, len(one) + 1)}
    assert len(tree) == len(beginnings)
    for one, path in zip(sequences, tree.paths, strict=True):
        assert tree.tokens[path].tolist() == one
        assert tree.depth[path].tolist() == list(range(len(one)))


@given(SEQUENCES)
def test_one_vector_says_who_sees_whom(sequences: list[list[int]]) -> None:
    tree = build_tree(sequences)
    size = len(tree)
    ancestors = np.zeros((size, size), dtype=bool)
    for path in tree.paths:
        for at in range(len(path)):
            ancestors[path[at], path[: at + 1]] = True
    query, key = np.arange(size)[:, None], np.arange(size)[None, :]
    assert ((key <= query) & (query < tree.tout[key])).tolist() == ancestors.tolist()
    parents = [-1 if tree.depth[at] == 0 else int(np.flatnonzero(ancestors[at])[-2]) for at in range(size)]
    assert tree.parents().tolist() == parents


@settings(max_examples=60, deadline=None)
@given(SEQUENCES, st.integers(1, 20))
def test_tree_states_are_those_of_each_sequence_alone(
    decoder: Decoder, plain: torch.nn.Module, sequences: list[list[int]], chunk: int
) -> None:
    tree = build_tree(sequences)
    states = all_states(decoder, tree, chunk)
    for one, path in zip(sequences, tree.paths, strict=True):
        with torch.no_grad():
            expected = plain(input_ids=torch.tensor([one])).last_hidden_state[0]
        assert torch.allclose(states[torch.from_numpy(path)], expected, atol=1e-4)


@settings(max_examples=40, deadline=None)
@given(SEQUENCES, st.integers(1, 9), st.integers(1, 200))
def test_the_size_of_chunks_and_blocks_changes_nothing(
    decoder: Decoder, sequences: list[list[int]], block: int, chunk: int
) -> None:
    tree = build_tree(sequences)
    whole = all_states(decoder, tree, len(tree))
    with pytest.MonkeyPatch.context() as patch:
        patch.setitem(attention.BLOCK, torch.float32, block)
        cut = all_states(decoder, tree, chunk)
    assert torch.allclose(whole, cut, atol=1e-5)


@settings(max_examples=40, deadline=None)
@given(SEQUENCES, st.randoms(use_true_random=False))
def test_the_order_of_sequences_changes_no_bit(decoder: Decoder, sequences: list[list[int]], random: Random) -> None:
    order = list(range(len(sequences)))
    random.shuffle(order)
    tree, other = build_tree(sequences), build_tree([sequences[at] for at in order])
    states, others = all_states(decoder, tree, 7), all_states(decoder, other, 7)
    for place, at in enumerate(order):
        assert torch.equal(states[torch.from_numpy(tree.paths[at])], others[torch.from_numpy(other.paths[place])])


@settings(max_examples=25, deadline=None)
@given(SEQUENCES, st.integers(1, 30), st.sampled_from([None, 3]))
def test_flex_attention_has_the_same_mask(sequences: list[list[int]], start: int, window: int | None) -> None:
    # On the CPU and not compiled: this proves the mask. Its speed on CUDA is not tested here.
    tree = build_tree(sequences)
    start = min(start, len(tree) - 1)
    generator = torch.Generator().manual_seed(1)
    before = Chunk(tree, 0, start, window, [])
    chunk = Chunk(tree, start, len(tree), window, [])
    query = torch.randn(1, 4, len(tree) - start, 16, generator=generator)
    key, value = (torch.randn(2, len(before.buffer), 16, generator=generator) for _ in range(2))
    before.keep(key, value)
    chunk.before = before.carried
    new_key, new_value = (torch.randn(1, 2, len(tree) - start, 16, generator=generator) for _ in range(2))
    ours, _weights = attention.tree_attention(torch.nn.Module(), query, new_key, new_value, None, 0.25, tree=chunk)
    again = Chunk(tree, start, len(tree), window, before.carried)
    keys, values = again.keep(new_key[0], new_value[0])
    flex = flex_over(query, keys, values, 0.25, again, flex_attention)
    assert torch.allclose(ours, flex, atol=1e-5)


def test_memory_of_keys_grows_with_the_longest_sequence_not_with_the_tree(decoder: Decoder) -> None:
    shared = [3] * 10
    tree = build_tree([[*shared, 4, number % 5 + 3, number // 5 % 5 + 3, number // 25 + 3] for number in range(100)])
    chunk, _states = decoder.run(Chunk(tree, 0, len(tree) // 2, None, []))
    assert len(tree) > 130
    assert all(key.shape[1] <= 14 for key, _value in chunk.carried)
