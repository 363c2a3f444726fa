"""A head on a frozen decoder: what it reads and writes, and that it never learns from what it is tested on."""

import json
from itertools import groupby
from pathlib import Path
from typing import Any

import pytest
import torch
from transformers import AutoModelForTokenClassification

from worker.prm import fit_head, metrics
from worker.prm.errors import SpecError, StoppedError
from worker.prm.examples import part_name, part_of, read_examples
from worker.prm.registry import load_scorer
from worker.prm.spec import parse_spec
from worker.prm.states import StateCache
from worker.tests.prm import labeled, tiny


@pytest.fixture(scope="module")
def base(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tiny.step_classifier(tmp_path_factory.mktemp("head") / "base", kind="llama", num_hidden_layers=3)


@pytest.fixture(scope="module")
def data(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A hundred problems with three traces each."""
    return labeled.write(tmp_path_factory.mktemp("data") / "labels.jsonl", 300)


@pytest.fixture(scope="module")
def fitted(base: Path, data: Path, tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, dict[str, Any]]:
    out = tmp_path_factory.mktemp("fitted") / "prm"
    return out, fit_head.fit_head(base, out, [data], cache_folder=out.parent / "states")


def test_states_are_those_of_plain_transformers_after_each_layer(base: Path, tmp_path: Path) -> None:
    cache = StateCache(base, tmp_path, layers=(1, 2, 3))
    traces = [["So 48+24 = 72.", "A: 72"], ["So 48+24 = 72.", "x = 12 apples."]]
    model = AutoModelForTokenClassification.from_pretrained(base).model
    for steps, found in zip(traces, cache.of_problem("How many?", traces), strict=True):
        assert found is not None
        rendered = cache.decoder.render("How many?", steps)
        with torch.no_grad():
            plain = model(input_ids=torch.tensor([rendered.ids]), output_hidden_states=True).hidden_states
            for layer in (1, 2):
                torch.testing.assert_close(found[str(layer)], model.norm(plain[layer])[0, rendered.positions])
            torch.testing.assert_close(found["3"], plain[3][0, rendered.positions])  # its last ones are already normed


def test_layers_above_the_deepest_wanted_one_are_not_computed(base: Path, tmp_path: Path) -> None:
    traces = [["So 48+24 = 72.", "A: 72"]]
    [of_all] = StateCache(base, tmp_path / "all", layers=(1, 2, 3)).of_problem("How many?", traces)
    cut = StateCache(base, tmp_path / "cut", layers=(1, 2))
    [found] = cut.of_problem("How many?", traces)
    assert found is not None
    assert of_all is not None
    for layer in (1, 2):
        torch.testing.assert_close(found[str(layer)], of_all[str(layer)])
    assert len(cut.decoder.decoder.model.layers) == 2


@pytest.mark.parametrize(("depth", "layers"), [(1, [1]), (2, [1]), (3, [1, 2]), (30, [10, 12, 15, 17, 20])])
def test_layers_in_the_middle_are_tried_unless_others_are_named(depth: int, layers: list[int], tmp_path: Path) -> None:
    base = tiny.step_classifier(tmp_path / "base", kind="llama", num_hidden_layers=depth)
    assert StateCache(base, tmp_path / "states").layers == layers
    assert StateCache(base, tmp_path / "states", layers=(depth,)).layers == [depth]


def test_states_are_computed_once(base: Path, tmp_path: Path) -> None:
    traces = [["So 48+24 = 72.", "A: 72"]]
    [first] = StateCache(base, tmp_path, layers=(2,)).of_problem("How many?", traces)
    [file] = tmp_path.rglob("*.safetensors")
    before = file.stat().st_mtime_ns
    again = StateCache(base, tmp_path, layers=(2,))
    again.decoder.decoder.model = None  # so that nothing can be computed
    [second] = again.of_problem("How many?", traces)
    assert first is not None
    assert second is not None
    assert torch.equal(first["2"], second["2"])
    assert file.stat().st_mtime_ns == before


def test_the_head_learns_what_is_in_the_text_and_beats_position_and_length(fitted: tuple[Path, dict[str, Any]]) -> None:
    _out, meta = fitted
    assert meta["test"]["auc"] > 0.8
    assert meta["test"]["auc_given_position"] > 0.7
    assert meta["test"]["auc"] > meta["test_position_and_length_only"]["auc"] + 0.1


def test_the_checkpoint_scores_the_same_here_and_in_plain_transformers(fitted: tuple[Path, dict[str, Any]]) -> None:
    out, meta = fitted
    scorer = load_scorer(parse_spec({"family": "step_classifier", "path": str(out)}))
    steps = ["So 48+24 = 72.", "So 48+24 = 73?", "A: 72"]
    [score] = scorer.score("Natalia sold 5 clips in May?", [steps])
    model = AutoModelForTokenClassification.from_pretrained(out)
    assert model.config.num_hidden_layers == meta["layer"]
    rendered = scorer.render("Natalia sold 5 clips in May?", steps)  # type: ignore[attr-defined]
    with torch.no_grad():
        logits = model(input_ids=torch.tensor([rendered.ids])).logits[0, rendered.positions]
    assert score.steps == pytest.approx(logits.softmax(-1)[:, 1].tolist(), abs=1e-4)


def test_the_same_data_and_seed_give_the_same_checkpoint(
    base: Path, data: Path, fitted: tuple[Path, dict[str, Any]], tmp_path: Path
) -> None:
    out, _meta = fitted
    fit_head.fit_head(base, tmp_path / "again", [data], cache_folder=out.parent / "states")
    assert (tmp_path / "again" / "model.safetensors").read_bytes() == (out / "model.safetensors").read_bytes()


def test_a_problem_is_in_one_part_of_the_split_only() -> None:
    assert len({part_of("Natalia sold 5 clips in May?", 3) for _ in range(5)}) == 1
    places = [part_of(f"problem {number}", 3) for number in range(2000)]
    assert 0.12 < sum(part_name(place) == "test" for place in places) / 2000 < 0.18


def test_a_row_s_ratings_are_learned_and_nothing_after_a_first_error_that_stands_for_them(tmp_path: Path) -> None:
    file = tmp_path / "rows.jsonl"
    rows = [
        {"problem": "p", "steps": list("abcd"), "step_labels": [1, 0, -1, 1]},
        {"problem": "p", "steps": list("abc"), "step_labels": None, "first_error": 1},
        {"problem": "p", "steps": list("ab"), "step_labels": None, "first_error": -1},
        {"problem": "p", "steps": list("ab"), "step_labels": None, "first_error": None},
    ]
    file.write_text("".join(json.dumps(row) + "\n" for row in rows))
    targets = [example.targets for example in read_examples([file])]
    assert targets == [[1, 1, 0, 1], [1, 0, None], [1, 1]]
    assert next(iter(read_examples([file], neutral="negative"))).targets == [1, 0, 0, 1]


def test_too_few_labels_are_refused_with_the_counts(base: Path, tmp_path: Path) -> None:
    file = tmp_path / "few.jsonl"
    file.write_text(json.dumps({"problem": "p", "steps": ["A: 72"], "step_labels": [1]}) + "\n")
    with pytest.raises(SpecError, match="have 1 right and 0 wrong steps of 1 problems.*at least 2 of each kind"):
        fit_head.fit_head(base, tmp_path / "out", [file], cache_folder=tmp_path / "states")
    assert not (tmp_path / "out").exists()


def test_ten_labels_are_enough_and_the_figures_say_that_they_are_cross_validated(base: Path, tmp_path: Path) -> None:
    file = labeled.write(tmp_path / "ten.jsonl", 10)
    events: list[dict[str, Any]] = []
    meta = fit_head.fit_head(base, tmp_path / "prm", [file], cache_folder=tmp_path / "states", progress=events.append)
    assert (meta["chosen_on"], meta["test"]) == ("cross-validation", None)
    assert meta["validation"]["steps"] == meta["train"]["steps"]  # each measured by a head that had not seen it
    assert meta["validation"]["auc"] > 0.5
    assert meta["calibration"]["measured_on"] == "cross-validation"
    stages = [event["stage"] for event in events]
    assert [stage for stage, _ in groupby(stages) if stage not in ("heads", "fit")] == [
        *("loading", "states", "curve", "writing", "written")
    ]
    assert stages.count("fit") == 10
    for stage in ("states", "heads", "curve"):
        told = [(event["done"], event["total"]) for event in events if event["stage"] == stage]
        assert [done for done, _ in told] == sorted({done for done, _ in told})
        assert told[0][0] == 0
        assert len({total for _, total in told}) == 1
        assert told[-1][0] == told[-1][1] or stage == "curve", "of a share with too few labels nothing is fitted"
        assert told[-1][0] <= told[-1][1]


def test_a_stop_keeps_the_states_and_leaves_no_checkpoint(base: Path, data: Path, tmp_path: Path) -> None:
    asked = iter([False, False])
    with pytest.raises(StoppedError, match="after reading the states of 2 of 100 problems"):
        fit_head.fit_head(
            base, tmp_path / "prm", [data], cache_folder=tmp_path / "states", stop=lambda: next(asked, True)
        )
    assert len(list(tmp_path.rglob("*.safetensors"))) == 6
    assert not (tmp_path / "prm").exists()


@pytest.mark.parametrize("temperature", [0.5, 1.0, 3.0])
def test_the_temperature_that_was_put_in_is_found_and_mends_the_calibration(temperature: float) -> None:
    generator = torch.Generator().manual_seed(3)
    odds = torch.randn(20_000, generator=generator) * 2
    targets = (torch.rand(20_000, generator=generator) < odds.sigmoid()).float()
    found = metrics.best_temperature(odds * temperature, targets)
    assert found is not None
    assert found == pytest.approx(temperature, rel=0.05)
    after = metrics.calibration(odds * temperature / found, targets)
    assert after["ece"] < 0.015
    assert sum(one["steps"] for one in after["bins"]) == 20_000
    if temperature != 1.0:
        before = metrics.calibration(odds * temperature, targets)
        assert before["ece"] > 0.05
        assert before["brier"] > after["brier"]


def test_a_few_labels_told_apart_perfectly_do_not_make_the_model_certain() -> None:
    assert 0.1 < (metrics.best_temperature(torch.tensor([2.0, 1.0, -1.0, -2.0]), torch.tensor([1.0, 1, 0, 0])) or 0) < 2


@pytest.mark.parametrize("count", [2, 3])
@pytest.mark.parametrize("steps", [40, 300], ids=["fewer steps than numbers in a state", "more"])
def test_heads_of_a_path_are_those_that_minimise_the_loss_for_each_strength(steps: int, count: int) -> None:
    draw = torch.Generator().manual_seed(4)
    states = torch.randn(steps, 64, generator=draw) * torch.linspace(0.01, 30, 64) + 5
    labels = (states[:, -count:] + 20 * torch.randn(steps, count, generator=draw)).argmax(1)
    strengths = [3.0, 300.0, 0.1]
    for l2, head in zip(strengths, metrics.fits(states, labels, count, strengths), strict=True):
        best = plainly(states.double(), labels, count, l2)
        torch.testing.assert_close(head.odds(states).double(), best, rtol=0.02, atol=0.02)


def plainly(states: torch.Tensor, labels: torch.Tensor, count: int, l2: float) -> torch.Tensor:
    """Return the odds [n] of the head with the lowest loss, by plain gradient descent in double precision."""
    inputs = (states - states.mean(0)) / states.std(0, correction=0)
    shares = torch.bincount(labels, minlength=count).double() / len(labels)
    found = torch.zeros(count - 1 if count == 2 else count, 65, dtype=torch.float64, requires_grad=True)
    optimiser = torch.optim.LBFGS([found], max_iter=2000, line_search_fn="strong_wolfe", tolerance_change=1e-12)

    def logits() -> torch.Tensor:
        rows = inputs @ found[:, :-1].T + found[:, -1]
        return torch.cat([torch.zeros(len(rows), count - len(found)), rows], 1)

    def loss() -> torch.Tensor:
        optimiser.zero_grad()
        misfit = torch.nn.functional.cross_entropy(logits(), labels, 1 / (count * shares), reduction="sum")
        value = misfit + l2 * found[:, :-1].square().sum()
        value.backward()
        return value

    optimiser.step(loss)
    return metrics.log_odds(logits().detach() + shares.log())


def test_three_labels_keep_neutral_apart(base: Path, data: Path, tmp_path: Path) -> None:
    meta = fit_head.fit_head(base, tmp_path / "prm", [data], cache_folder=tmp_path / "states", neutral="keep3")
    assert meta["labels"] == ["negative", "neutral", "positive"]
    assert meta["test"]["auc"] > 0.8
    said: dict[str, list[float]] = {}
    for neutral in ("positive", "negative"):
        record = {"family": "step_classifier", "path": str(tmp_path / "prm"), "neutral": neutral}
        [score] = load_scorer(parse_spec(record)).score("Natalia sold 5 clips in May?", [["A: 72", "A: ten"]])
        said[neutral] = score.steps or []
    assert said["positive"][0] > 0.5 > said["positive"][1]
    assert said["positive"][0] > said["negative"][0] + 0.1  # a third of the right steps were rated neutral


@pytest.mark.parametrize("line", ["{", '{"problem": "p", "steps": [1]}', "[]"])
def test_a_row_that_is_no_trace_is_named(line: str, base: Path, tmp_path: Path, capsys: Any) -> None:
    file = tmp_path / "rows.jsonl"
    file.write_text("\n" + line + "\n")
    code = fit_head.main([str(base), str(tmp_path / "out"), str(file), "--cache", str(tmp_path / "states")])
    assert code == 1
    assert "rows.jsonl, line 2" in capsys.readouterr().err
