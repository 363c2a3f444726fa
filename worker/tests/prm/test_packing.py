"""Packing changes nothing but rounding: the loss and its gradients equal those of plain transformers, trace by
trace.
"""

from pathlib import Path

import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st
from torch.nn.functional import cross_entropy
from transformers import AutoModelForTokenClassification

from worker.prm.backbone import stock_config
from worker.prm.checkpoint import Checkpoint
from worker.prm.examples import Example
from worker.prm.families.step_classifier import StepLayout
from worker.prm.options import TrainOptions
from worker.prm.packing import Sample, pack, sample_of, shared_out
from worker.prm.step_model import StepModel
from worker.prm.text import Text
from worker.tests.prm import tiny
from worker.tests.prm.labeled import rows

SAMPLES = st.lists(st.integers(1, 40), min_size=1, max_size=30).map(
    lambda sizes: [Sample([0] * size, [size - 1], [1], [0], [0], [1], str(at)) for at, size in enumerate(sizes)]
)


def samples(folder: Path, target: str = "steps") -> list[Sample]:
    layout = StepLayout(Text(folder), "\n")
    targets = [[{-1: 0}.get(rating, 1) for rating in row["step_labels"]] for row in rows(9)]
    return [
        sample_of(Example(row["problem"], row["steps"], each), layout, target)
        for row, each in zip(rows(9), targets, strict=True)
    ]


@pytest.mark.parametrize(
    ("kind", "fields"),
    [("llama", {}), ("qwen2", {}), ("mistral", {"sliding_window": 9})],
    ids=["llama", "qwen2", "window"],
)
def test_loss_and_gradients_of_a_pack_are_those_of_each_trace_alone(
    kind: str, fields: dict[str, int], tmp_path: Path
) -> None:
    folder = tiny.step_classifier(tmp_path / "base", kind=kind, **fields)
    checkpoint = Checkpoint(folder)
    options = TrainOptions(base=folder, method="full")
    model = StepModel(checkpoint, stock_config(checkpoint, False), 2, options, torch.device("cpu"))
    head = checkpoint.read({"score.weight": (2, 32), "score.bias": (2,)}, torch.float32, torch.device("cpu"))
    model.score.load_state_dict({name.removeprefix("score."): tensor for name, tensor in head.items()})
    plain = AutoModelForTokenClassification.from_pretrained(folder, attn_implementation="eager", dtype=torch.float32)
    weights, expected = torch.tensor([0.3, 1.7]), torch.zeros(())
    for one in samples(folder):
        logits = plain.eval()(input_ids=torch.tensor([one.ids])).logits[0, one.places]
        loss = cross_entropy(logits, torch.tensor(one.labels), weights, reduction="sum")
        loss.backward()
        expected += loss.detach()
    found = torch.zeros(())
    packs = shared_out(samples(folder), 120)[0]
    assert 1 < len(packs) < 9
    for some in packs:
        packed = pack(some)
        loss = cross_entropy(model(packed), packed.labels, weights, reduction="sum")
        loss.backward()
        found += loss.detach()
    torch.testing.assert_close(found, expected, rtol=1e-5, atol=1e-5)
    theirs = dict(plain.named_parameters())
    for name, parameter in model.named_parameters():
        other = theirs[name.replace("decoder.", "model.")].grad
        torch.testing.assert_close(parameter.grad, other, rtol=1e-3, atol=1e-4 * float(other.abs().max()))


def test_gradient_checkpointing_gives_the_same_gradients(tmp_path: Path) -> None:
    folder = tiny.step_classifier(tmp_path / "base", kind="llama")
    checkpoint, found = Checkpoint(folder), []
    for again in (False, True):
        options = TrainOptions(base=folder, method="full", gradient_checkpointing=again)
        model = StepModel(checkpoint, stock_config(checkpoint, False), 2, options, torch.device("cpu"))
        torch.nn.init.ones_(model.score.weight[0])
        one = pack(samples(folder))
        cross_entropy(model(one), one.labels).backward()
        found.append(model.decoder.layers[0].mlp.up_proj.weight.grad)
    torch.testing.assert_close(found[0], found[1])


def test_an_orm_has_the_outcome_on_every_token_of_the_steps_and_a_prm_one_label_a_step(tmp_path: Path) -> None:
    folder = tiny.step_classifier(tmp_path / "base", kind="llama")
    layout = StepLayout(Text(folder), "\n")
    rendered = layout.render("How many?", ["A: 72", "A: ten", "A: 73"])
    orm = sample_of(Example("How many?", ["A: 72", "A: ten", "A: 73"], [0, 0, 0]), layout, "outcome")
    assert orm.places == list(range(rendered.begins, len(rendered.ids)))
    assert set(orm.labels) == {0}
    assert orm.places[orm.counted[0]] == rendered.positions[-1]
    prm = sample_of(Example("How many?", ["A: 72", "A: ten", "A: 73"], [1, 0, None]), layout, "steps")
    assert prm.places == rendered.positions[:2]
    assert len(prm.ids) == rendered.positions[1] + 1  # nothing after the first error is computed


@given(SAMPLES, st.integers(8, 64), st.integers(1, 3))
def test_every_trace_is_in_one_pack_of_one_process_and_no_pack_is_too_long(
    given_samples: list[Sample], tokens: int, shares: int
) -> None:
    dealt = shared_out(given_samples, tokens, shares)
    packs = [one for share in dealt for one in share]
    assert sorted(sample.problem for one in packs for sample in one) == sorted(one.problem for one in given_samples)
    for one in packs:
        assert len(one) == 1 or sum(len(sample.ids) for sample in one) <= tokens
    work = [sum(len(sample.ids) for one in share for sample in one) for share in dealt]
    assert max(work) - min(work) <= max(tokens, *(len(one.ids) for one in given_samples))
