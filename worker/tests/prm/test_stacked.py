"""A stacked head: its inputs for a step match plain transformers, and its checkpoint judges as the fit did."""

import json
import math
import shutil
from pathlib import Path
from typing import Any

import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st
from safetensors.torch import load_file, save_file
from torch import Tensor
from transformers import AutoModelForCausalLM

from worker.prm import stacked
from worker.prm.errors import CheckpointError, SpecError
from worker.prm.metrics import auc, first_errors
from worker.prm.options import STACKED, TrainOptions
from worker.prm.registry import load_scorer
from worker.prm.spec import parse_spec
from worker.prm.states import ReadingCache
from worker.prm.step_checks import NUMBERS, numbers_of
from worker.prm.step_readings import BLOCKS, CHANGES, MEANS, STATES, SURPRISE, SURPRISES, means_before
from worker.prm.train import train
from worker.tests.prm import labeled, tiny

TRACES = [["So 48+24 = 72.", "A: 72"], ["So 48+24 = 72.", "x = 12 apples.", "A: ten"], ["x"]]


@pytest.fixture(scope="module", params=["tied", "untied"])
def base(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("stacked") / "base"
    return tiny.language_model(folder, tied=request.param == "tied", num_hidden_layers=4)


@pytest.fixture(scope="module")
def trained(base: Path, tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, dict[str, Any]]:
    folder = tmp_path_factory.mktemp("trained")
    data = labeled.write(folder / "labels.jsonl", 300)
    options = TrainOptions(base=base, method=STACKED, cache=folder / "readings")
    return folder / "prm", train([data], folder / "prm", options)


def test_what_is_read_of_a_step_is_what_plain_transformers_says_of_each_trace_alone(base: Path, tmp_path: Path) -> None:
    cache = ReadingCache(base, tmp_path)
    model = AutoModelForCausalLM.from_pretrained(base)
    for steps, found in zip(TRACES, cache.of_problem("How many?", TRACES), strict=True):
        assert found is not None
        rendered = cache.decoder.render("How many?", steps)
        with torch.no_grad():
            said = model(input_ids=torch.tensor([rendered.ids]), output_hidden_states=True)
        normed = [model.model.norm(one)[0] for one in said.hidden_states[:-1]]
        ends = torch.cat([normed[layer][rendered.positions] for layer in cache.layers.ends], 1)
        torch.testing.assert_close(found[STATES], ends, atol=1e-4, rtol=1e-4)
        logs = said.logits[0].log_softmax(-1)
        begin = rendered.begins
        for step, end in enumerate(rendered.positions):
            span = range(begin, end + 1)
            own = torch.stack([logs[at - 1, rendered.ids[at]] for at in span])
            entropy = torch.stack([-(logs[at - 1].exp() * logs[at - 1]).sum() for at in span])
            numbers = dict(zip(SURPRISES, found[SURPRISE][step].tolist(), strict=True))
            assert numbers["mean log p"] == pytest.approx(float(own.mean()), abs=1e-3)
            assert numbers["lowest log p"] == pytest.approx(float(own.min()), abs=1e-3)
            assert numbers["highest entropy"] == pytest.approx(float(entropy.max()), abs=1e-3)
            firsts = [int(logs[at - 1].argmax()) != rendered.ids[at] for at in span]
            assert numbers["share that is not its first choice"] == pytest.approx(sum(firsts) / len(firsts))
            torch.testing.assert_close(
                found[MEANS][step], normed[cache.layers.mean][list(span)].mean(0), atol=1e-4, rtol=1e-4
            )
            begin = end + 1
        torch.testing.assert_close(found[CHANGES], found[SURPRISE] - means_before(found[SURPRISE]))


def test_readings_are_computed_once(base: Path, tmp_path: Path) -> None:
    [first, *_] = ReadingCache(base, tmp_path).of_problem("How many?", TRACES)
    again = ReadingCache(base, tmp_path)
    again.decoder.decoder.model = None  # so that nothing can be computed
    [second, *_] = again.of_problem("How many?", TRACES)
    assert first is not None
    assert second is not None
    assert all(torch.equal(first[name], second[name]) for name in BLOCKS)


def test_it_learns_what_is_in_the_text_and_its_checkpoint_says_so_too(trained: tuple[Path, dict[str, Any]]) -> None:
    out, meta = trained
    assert (meta["method"], meta["family"]) == (STACKED, "stacked_head")
    assert meta["test"]["auc"] > max(0.8, meta["test_position_and_length_only"]["auc"] + 0.1)
    scorer = load_scorer(parse_spec({**meta["record"], "path": str(out)}))
    rows = labeled.rows(300)
    said, right = [], []
    for row in rows[:60]:
        [score] = scorer.score(row["problem"], [row["steps"]])
        assert score.steps is not None
        said += score.steps
        right += [rating != -1 for rating in row["step_labels"]]
    assert (auc(torch.tensor(said), torch.tensor(right).float()) or 0) > 0.8
    together = scorer.score("How many?", TRACES)
    for steps, found in zip(TRACES, together, strict=True):
        [alone] = scorer.score("How many?", [steps])
        assert found.steps == pytest.approx(alone.steps, abs=1e-4)
        assert found.spread is not None
        assert len(found.spread) == len(steps)
        assert found.spread == pytest.approx(alone.spread, abs=1e-4)
    assert len(meta["tried"]) > 1
    assert 0.5 < meta["first_errors"]["accuracy"] <= 1
    card = (out / "README.md").read_text()
    assert "Only Stepmark loads this head" in card
    assert "AutoModelForTokenClassification" not in card


def test_the_same_data_and_seed_give_the_same_head(trained: tuple[Path, dict[str, Any]], base: Path) -> None:
    out, _meta = trained
    options = TrainOptions(base=base, method=STACKED, cache=out.parent / "readings")
    train([out.parent / "labels.jsonl"], out.parent / "again", options)
    assert (out.parent / "again" / "model.safetensors").read_bytes() == (out / "model.safetensors").read_bytes()


def test_a_checkpoint_that_does_not_say_what_its_head_reads_is_refused(
    trained: tuple[Path, dict[str, Any]], tmp_path: Path
) -> None:
    out, meta = trained
    folder = tmp_path / "prm"
    folder.mkdir()
    for file in out.iterdir():
        (folder / file.name).write_bytes(file.read_bytes())
    config = json.loads((folder / "config.json").read_text())
    reads = config["stacked_head"]
    for broken, why in (
        (None, "does not say what the head reads"),
        ({"ends": [9], "mean": 1}, "the head reads"),
        ({**reads, "checks": "verifier/0"}, "reads version verifier/0"),
        ({**reads, "heads": "many"}, "'many' as the number of heads"),
    ):
        (folder / "config.json").write_text(json.dumps({**config, "stacked_head": broken}))
        with pytest.raises(CheckpointError, match=why):
            load_scorer(parse_spec({**meta["record"], "path": str(folder)}))


@pytest.mark.parametrize(("wrong", "why"), [({"layers": (2,)}, "leave layers out"), ({"neutral": "keep3"}, "neutral")])
def test_what_it_cannot_do_is_refused_before_anything_is_read(wrong: dict[str, Any], why: str, tmp_path: Path) -> None:
    with pytest.raises(SpecError, match=why):
        train([], tmp_path / "out", TrainOptions(base=tmp_path, method=STACKED, **wrong))


def readings_of(rows: int, seed: int) -> tuple[dict[str, Tensor], Tensor]:
    """Random blocks, of which only the surprise knows the label."""
    generator = torch.Generator().manual_seed(seed)
    widths = {"states": 40, "means": 20, "surprise": 5, "changes": 5, "place": 3, "checks": 8}
    found = {name: torch.randn(rows, width, generator=generator) for name, width in widths.items()}
    labels = (found["surprise"][:, 0] + 0.3 * torch.randn(rows, generator=generator) > 0).long()
    labels[:2] = torch.tensor([0, 1])
    return found, labels


@settings(max_examples=20, deadline=None)
@given(
    st.integers(8, 120), st.integers(0, 50), st.sampled_from([30.0, 3000.0, math.inf]), st.sampled_from([1.0, math.inf])
)
def test_the_head_over_raw_numbers_is_the_one_that_was_fitted(rows: int, seed: int, wide: float, checks: float) -> None:
    strengths = stacked.Strengths(wide=wide, checks=checks)
    found, labels = readings_of(rows, seed)
    design = stacked.Design.of(found, torch.ones(rows, dtype=torch.bool))
    scales = design.scales(strengths)
    head = stacked.fit_scaled(design.inputs(found) * scales, labels)
    torch.testing.assert_close(
        design.raw(head, scales).odds(stacked.joined(found)),
        head.odds(design.inputs(found) * scales),
        atol=1e-3,
        rtol=1e-3,
    )


def test_the_block_that_knows_the_answer_is_shrunk_less() -> None:
    found, labels = readings_of(600, 3)
    design = stacked.Design.of(found, torch.ones(600, dtype=torch.bool))
    fold = torch.arange(600) % 3
    tried = stacked.choose(
        design, design.inputs(found), labels, None, [(fold != number, fold == number) for number in range(3)]
    )
    assert tried.strengths.wide >= 10 * tried.strengths.narrow


def test_probabilities_are_as_often_right_as_they_say_after_platt() -> None:
    generator = torch.Generator().manual_seed(1)
    truth = torch.randn(20_000, generator=generator)
    targets = (torch.rand(20_000, generator=generator) < truth.sigmoid()).float()
    slope, shift = stacked.platt(3 * truth + 2, targets)
    assert (slope, shift) == (pytest.approx(1 / 3, abs=0.03), pytest.approx(-2 / 3, abs=0.08))


def test_a_head_from_before_the_checks_scores_as_it_did(trained: tuple[Path, dict[str, Any]], tmp_path: Path) -> None:
    out, meta = trained
    now = load_scorer(parse_spec({**meta["record"], "path": str(out)}))
    shutil.copytree(out, tmp_path / "old")
    config = json.loads((out / "config.json").read_text())
    reads = {name: config["stacked_head"][name] for name in ("ends", "mean")}
    (tmp_path / "old" / "config.json").write_text(json.dumps({**config, "stacked_head": reads}))
    tensors = load_file(out / "model.safetensors")
    width = tensors["head.weight"].shape[1] - len(NUMBERS)
    kept = {name: one for name, one in tensors.items() if not name.startswith("drawn.")}
    kept["head.weight"] = kept["head.weight"][:, :width].contiguous()
    save_file(kept, tmp_path / "old" / "model.safetensors")
    old = load_scorer(parse_spec({**meta["record"], "path": str(tmp_path / "old")}))
    assert old.fingerprint != now.fingerprint
    for steps, found in zip(TRACES, old.score("How many?", TRACES), strict=True):
        assert (len(found.steps or ()), found.spread) == (len(steps), None)


def test_the_checks_of_a_step_do_not_change_with_what_follows_it() -> None:
    steps = ["2 + 2 = 4.", "12 x 7 = 86, and 977 of them.", "So 90."]
    whole = numbers_of("There are 12 boxes.", steps)
    assert [numbers_of("There are 12 boxes.", steps[: k + 1])[k] for k in range(3)] == whole
    named = [dict(zip(NUMBERS, row, strict=True)) for row in whole]
    assert [one["any is false"] for one in named] == [0, 1, 0]
    assert [one["some, and all hold"] for one in named] == [1, 0, 0]


@settings(max_examples=40, deadline=None)
@given(st.lists(st.lists(st.floats(-3, 3), min_size=1, max_size=5), min_size=2, max_size=8), st.data())
def test_first_errors_are_counted_trace_by_trace(said: list[list[float]], data: st.DataObject) -> None:
    wrong = [data.draw(st.booleans()) for _ in said]  # at its last step, where rating ended
    odds = torch.tensor([one for trace in said for one in trace])
    targets = torch.tensor(
        [
            float(not (bad and k == len(trace) - 1))
            for trace, bad in zip(said, wrong, strict=True)
            for k in range(len(trace))
        ]
    )
    traces = torch.tensor([7 + number for number, trace in enumerate(said) for _ in trace])
    right = []
    for trace, bad in zip(said, wrong, strict=True):
        low = [k for k, one in enumerate(trace) if torch.tensor(one).double().sigmoid() < 0.5]
        right.append((low[0] if low else None) == (len(trace) - 1 if bad else None))
    found = first_errors(odds, targets, traces, 0.5)
    assert found["accuracy"] == pytest.approx(sum(right) / len(right))
    assert (found["traces"], found["with_error"]) == (len(said), sum(wrong))
