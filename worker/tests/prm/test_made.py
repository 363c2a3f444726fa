"""Wrong steps made by the trainer: always the same ones, invisible to later steps, and in no figure."""

from pathlib import Path
from random import Random
from typing import Any

import pytest
import torch
from transformers import AutoModelForTokenClassification

from worker.prm.backbone import stock_config
from worker.prm.checkpoint import Checkpoint
from worker.prm.examples import Example
from worker.prm.families.step_classifier import StepLayout
from worker.prm.options import TrainOptions
from worker.prm.packing import pack, sample_of
from worker.prm.step_model import StepModel
from worker.prm.synthetic_errors import corrupted, with_made
from worker.prm.text import Text
from worker.prm.train import train
from worker.tests.prm import labeled, tiny


@pytest.mark.parametrize(
    ("step", "problem", "found"),
    [
        ("Alice: red ball, Bob: blue ball.", "", {"Alice: blue ball, Bob: red ball."}),
        ("So the answer is (B)", "(A) one (B) two", {"So the answer is (A)"}),
        ("Nothing to count here.", "", {None}),
        ("x - y is 7", "", {"x + y is 7", "x * y is 7"}),
        ("Hence -7", "", {"Hence 7"}),
    ],
)
def test_one_thing_in_a_step_becomes_another(step: str, problem: str, found: set[str | None]) -> None:
    made = {corrupted(step, problem, Random(seed)) for seed in range(60)}
    assert found <= made
    assert step not in made


def test_a_number_changes_and_what_repeats_it_may_change_with_it() -> None:
    made = {corrupted("48 and 24 are 72, so 72.", "", Random(seed)) for seed in range(200)} - {None}
    assert len(made) > 20
    assert all(one is not None and one.startswith("48 and ") for one in made), "the first third stays"
    assert any(one is not None and one.count("73") == 2 for one in made)
    assert any(one is not None and one.count("72") == 1 for one in made)


@pytest.mark.parametrize(
    ("kind", "fields"), [("llama", {}), ("mistral", {"sliding_window": 9})], ids=["llama", "window"]
)
def test_a_branch_sees_what_its_step_would_and_nothing_after_it_sees_the_branch(
    kind: str, fields: dict[str, int], tmp_path: Path
) -> None:
    folder = tiny.step_classifier(tmp_path / "base", kind=kind, **fields)
    checkpoint, layout = Checkpoint(folder), StepLayout(Text(folder), "\n")
    options = TrainOptions(base=folder, method="full")
    model = StepModel(checkpoint, stock_config(checkpoint, False), 2, options, torch.device("cpu"))
    head = checkpoint.read({"score.weight": (2, 32), "score.bias": (2,)}, torch.float32, torch.device("cpu"))
    model.score.load_state_dict({name.removeprefix("score."): tensor for name, tensor in head.items()})
    plain = AutoModelForTokenClassification.from_pretrained(folder, attn_implementation="eager", dtype=torch.float32)
    steps = ["So 48+24 = 72.", "x = 12 apples.", "A: 72"]
    usual = sample_of(Example("How many?", steps, [1, 1, 0]), layout, "steps")
    sample = with_made(usual, layout, 2, Random(3))
    assert (sample.made, sample.labels) == (4, [1, 1, 0] + [0] * 4)
    assert sample.counted == usual.counted
    with torch.no_grad():
        found = model(pack([usual, sample, usual]))
        for logits, end in zip(found[3:10], sample.places, strict=True):
            path = path_to(sample.ids, list(sample.depths), list(sample.ends), end)
            torch.testing.assert_close(logits, plain(input_ids=torch.tensor([path])).logits[0, -1])
    torch.testing.assert_close(found[3:6], found[:3])
    torch.testing.assert_close(found[10:], found[:3])


def path_to(ids: list[int], depths: list[int], ends: list[int], place: int) -> list[int]:
    """Return the text that a token ends: everything before it whose branch is still open, by depth."""
    seen = {depths[at]: ids[at] for at in range(place + 1) if ends[at] > place}
    return [seen[depth] for depth in range(depths[place] + 1)]


def test_they_are_learned_and_never_measured_and_the_checkpoint_says_so(tmp_path: Path) -> None:
    base = tiny.step_classifier(tmp_path / "base", kind="llama")
    data = labeled.write(tmp_path / "labels.jsonl", 60)
    found: list[dict[str, Any]] = []
    for many in (0, 1, 1):
        options = TrainOptions(base=base, method="full", epochs=1, batch=8, synthetic_errors=many)
        found.append(train([data], tmp_path / f"out{len(found)}", options))
    without, one, again = found
    for part in ("train", "validation"):
        assert one[part]["steps"] == without[part]["steps"]
        assert one[part]["wrong"] == without[part]["wrong"]
    assert without["synthetic_errors"] == {"for_each_right_step": 0, "for_each_label": 0}
    assert 0.3 < one["synthetic_errors"]["for_each_label"] < 1
    assert "that the trainer made" in one["statements"]["process_supervised"]
    losses = [[point["loss"] for point in meta["curve"] if "loss" in point] for meta in found]
    assert losses[1] == losses[2]
    assert losses[0] != losses[1]
    assert one["validation"] == again["validation"]
