"""Training as a whole, by its outermost function: what it learns, writes, survives and refuses."""

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
import torch
from safetensors.torch import load_file
from transformers import AutoModelForTokenClassification

from labeling.tests.killed_process import run_until_each_call
from worker.prm import train as command
from worker.prm.checkpoint_writer import ROLES
from worker.prm.errors import PrmError, SpecError, StoppedError, TrainingError
from worker.prm.options import TrainOptions
from worker.prm.registry import load_scorer
from worker.prm.spec import parse_spec
from worker.prm.train import train
from worker.tests.prm import labeled, tiny

STEPS = ["So 48+24 = 72.", "So 48+24 = 73?", "A: 72"]
LOAD = """
import torch
from pathlib import Path
from worker.prm.options import TrainOptions
from worker.prm.train import train
torch.set_num_threads(1)
"""
CODE = f"""{LOAD}
train([Path({{data!r}})], Path({{out!r}}), TrainOptions(base=Path({{base!r}}), **{{options!r}}))
"""


@pytest.fixture(scope="module")
def base(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tiny.step_classifier(tmp_path_factory.mktemp("train") / "base", kind="llama")


@pytest.fixture(scope="module")
def data(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return labeled.write(tmp_path_factory.mktemp("data") / "labels.jsonl", 150)


def quick(base: Path, method: str = "full", **more: Any) -> TrainOptions:
    """Enough for a tiny model to learn the words."""
    usual = {"epochs": 3, "batch": 8, "learning_rate": 3e-3 if method == "full" else 1e-2, "head_learning_rate": 3e-3}
    return TrainOptions(base=base, method=method, **{**usual, **more})


def weights(out: Path) -> dict[str, torch.Tensor]:
    return load_file(out / "model.safetensors")


def losses_of(meta: dict[str, Any]) -> list[float]:
    return [point["loss"] for point in meta["curve"] if "loss" in point]


def environment() -> dict[str, str]:
    root = str(Path(__file__).parents[3])
    return {**os.environ, "PYTHONPATH": root, "OMP_NUM_THREADS": "1", "DJANGO_SETTINGS_MODULE": ""}


@pytest.mark.parametrize(("method", "labels"), [("full", "positive"), ("lora", "positive"), ("full", "keep3")])
def test_it_learns_and_scores_the_same_here_and_in_plain_transformers(
    method: str, labels: str, base: Path, data: Path, tmp_path: Path
) -> None:
    events: list[dict[str, Any]] = []
    meta = train([data], tmp_path / "prm", quick(base, method, neutral=labels), progress=events.append)
    assert meta["validation"]["auc"] > 0.8
    assert meta["beats_baseline"] is True
    chosen = meta["threshold"]
    assert 0 < chosen["value"] < 1
    assert chosen["f1_negative"] >= chosen["f1_negative_at_half"]
    assert meta == json.loads((tmp_path / "prm" / "meta.json").read_text())
    scorer = load_scorer(parse_spec({**meta["record"], "path": str(tmp_path / "prm")}))
    [score] = scorer.score("Natalia sold 5 clips in May?", [STEPS])
    model = AutoModelForTokenClassification.from_pretrained(tmp_path / "prm").eval()
    assert list(model.config.id2label.values()) == meta["labels"]
    rendered = scorer.render("Natalia sold 5 clips in May?", STEPS)  # type: ignore[attr-defined]
    with torch.no_grad():
        found = model(input_ids=torch.tensor([rendered.ids])).logits[0, rendered.positions].softmax(-1)
    assert score.steps == pytest.approx(found[:, 1:].sum(-1).tolist(), abs=1e-5)
    assert score.steps is not None
    assert score.steps[1] < score.steps[0]  # steps after an error are not rated
    losses = [event["loss"] for event in events if event["stage"] == "train"]
    assert sum(losses[-5:]) < sum(losses[:5])
    assert [event["done"] for event in events if event["stage"] == "train"] == list(range(1, meta["steps"] + 1))


def test_a_checkpoint_says_where_it_comes_from_and_how_good_it_is(base: Path, data: Path, tmp_path: Path) -> None:
    said = {"snapshot": "abc", "rounds": [1, 2], "roles": {"human_label_source": "ten annotators"}}
    options = TrainOptions(base=base, cache=tmp_path / "states", lineage=said)
    meta = train([data], tmp_path / "prm", options)
    assert set(meta["roles"]) == set(ROLES)
    assert meta["roles"]["human_label_source"] == "ten annotators"
    assert (meta["roles"]["policy_model"], meta["roles"]["base_model"]) == ("a policy", "base")
    [file] = meta["data"]
    assert (file["rows"], len(file["sha256"])) == (150, 64)
    assert meta["lineage"] == said
    card = (tmp_path / "prm" / "README.md").read_text()
    assert "does not beat" not in card
    for told in (
        file["sha256"],
        meta["base_checksum"],
        "ten annotators",
        "rounds: [1, 2]",
        "position and length alone",
    ):
        assert told in card
    snippet = card.split("```python\n")[1].split("```")[0].replace("FOLDER", str(tmp_path / "prm"))
    ran: dict[str, Any] = {}
    exec(snippet, ran)
    scorer = load_scorer(parse_spec({**meta["record"], "path": str(tmp_path / "prm")}))
    [score] = scorer.score(ran["problem"], [ran["steps"]])
    assert ran["probabilities"][:, 1].tolist() == pytest.approx(score.steps, abs=1e-5)


def test_a_model_that_learned_nothing_is_marked(base: Path, tmp_path: Path) -> None:
    rows = [json.loads(line) for line in labeled.write(tmp_path / "rows", 150).read_text().splitlines()]
    for row in rows:  # whatever the words are, the length alone decides
        row["steps"] = [
            step if rating == -1 else step + " apples" * 20
            for step, rating in zip(row["steps"], row["step_labels"], strict=True)
        ]
    (tmp_path / "rows").write_text("".join(json.dumps(row) + "\n" for row in rows))
    meta = train([tmp_path / "rows"], tmp_path / "prm", TrainOptions(base=base, cache=tmp_path / "states"))
    assert meta["beats_baseline"] is False
    assert "does not beat" in (tmp_path / "prm" / "README.md").read_text()


@pytest.mark.slow
def test_killed_twice_it_ends_with_the_weights_of_an_unbroken_run(base: Path, data: Path, tmp_path: Path) -> None:
    options = {"method": "full", "epochs": 2, "batch": 8, "learning_rate": 3e-3, "save_every": 3}
    train([data], tmp_path / "unbroken", TrainOptions(base=base, **options))
    out = tmp_path / "killed"
    code = CODE.format(data=str(data), out=str(out), base=str(base), options=options)
    in_the_middle_of_a_step = (code, "worker/prm/finetune.py:summed", 8)
    with_the_next_state_not_yet_in_its_place = (code, "worker/prm/whole_files.py:put_in_place", 2)
    run_until_each_call(LOAD, [in_the_middle_of_a_step, with_the_next_state_not_yet_in_its_place])
    assert not (out / "meta.json").exists()
    meta = train([data], out, TrainOptions(base=base, **options))
    whole, found = weights(tmp_path / "unbroken"), weights(out)
    assert all(torch.equal(whole[name], found[name]) for name in whole)
    assert meta["curve"] == json.loads((tmp_path / "unbroken" / "meta.json").read_text())["curve"]
    assert not (out / "unfinished").exists()


def test_stopped_it_goes_on_where_it_was_and_other_options_are_refused(base: Path, data: Path, tmp_path: Path) -> None:
    options = quick(base, "lora", epochs=1, synthetic_errors=1)
    train([data], tmp_path / "unbroken", options)
    asked = iter([False] * 5)
    with pytest.raises(StoppedError, match="after step 5"):
        train([data], tmp_path / "prm", options, stop=lambda: next(asked, True))
    with pytest.raises(SpecError, match="other data or options"):
        train([data], tmp_path / "prm", quick(base, "lora", epochs=1, seed=1))
    train([data], tmp_path / "prm", options)
    whole, found = weights(tmp_path / "unbroken"), weights(tmp_path / "prm")
    assert all(torch.equal(whole[name], found[name]) for name in whole)


@pytest.mark.slow
def test_two_processes_give_the_losses_of_one(base: Path, data: Path, tmp_path: Path) -> None:
    options = quick(base, epochs=1)
    alone = train([data], tmp_path / "alone", options)
    asked = ["--method", "full", "--epochs", "1", "--batch", "8", "--learning-rate", "3e-3"]
    asked += ["--head-learning-rate", "3e-3", "--base", str(base), "--threads", "1"]
    launched = [sys.executable, "-m", "torch.distributed.run", "--standalone", "--nproc-per-node", "2"]
    arguments = [*launched, "-m", "worker.prm.train", str(data), str(tmp_path / "two"), *asked]
    subprocess.run(arguments, env=environment(), cwd=Path(__file__).parents[3], check=True, capture_output=True)
    meta = json.loads((tmp_path / "two" / "meta.json").read_text())
    assert (meta["processes"], alone["processes"]) == (2, 1)
    assert losses_of(meta) == pytest.approx(losses_of(alone), rel=1e-3)
    one, two = weights(tmp_path / "alone"), weights(tmp_path / "two")
    for name in one:
        torch.testing.assert_close(one[name], two[name], rtol=1e-2, atol=1e-3)


def test_out_of_memory_halves_the_packs_says_so_and_learns_the_same(base: Path, data: Path, tmp_path: Path) -> None:
    options = quick(base, epochs=1, batch=32, tokens=4000)
    enough = train([data], tmp_path / "enough", options)

    def full(_module: torch.nn.Module, inputs: Any) -> None:  # a device with room for 300 tokens
        if inputs and isinstance(inputs[0], torch.Tensor) and inputs[0].shape[-2:-1] > (300,):
            raise torch.OutOfMemoryError("CUDA out of memory.")

    device = torch.nn.modules.module.register_module_forward_pre_hook(full)
    try:
        little = train([data], tmp_path / "little", options)
    finally:
        device.remove()
    assert enough["notes"] == []
    assert little["notes"][-1] == "Out of memory at step 1: continued with packs of 250 tokens."
    assert little["notes"][-1] in (tmp_path / "little" / "README.md").read_text()
    assert losses_of(enough) == pytest.approx(losses_of(little), rel=1e-3)


def test_a_loss_that_is_no_number_ends_it_with_what_to_do(base: Path, data: Path, tmp_path: Path) -> None:
    with pytest.raises(TrainingError, match="not a number at step .* Lower the learning rate"):
        train([data], tmp_path / "prm", quick(base, learning_rate=1e30, epochs=1, warm_up=0.0))
    assert not (tmp_path / "prm" / "meta.json").exists()


def test_it_ends_early_when_validation_does_not_get_better(base: Path, tmp_path: Path) -> None:
    rows = labeled.rows(60)
    for number, row in enumerate(rows):  # ratings unrelated to the text
        row |= {"steps": row["steps"][:2], "step_labels": [1, -1] if number % 2 else [-1, 1]}
    file = tmp_path / "rows.jsonl"
    file.write_text("".join(json.dumps(row) + "\n" for row in rows))
    meta = train([file], tmp_path / "prm", quick(base, epochs=30, patience=1))
    assert meta["best_step"] < meta["steps"] < 30 * 6


@pytest.mark.parametrize("method", ["head", "full"])
def test_an_orm_learns_outcomes_and_speaks_at_the_last_step(method: str, base: Path, tmp_path: Path) -> None:
    rows = labeled.rows(90)
    for number, row in enumerate(rows):
        words = labeled.WRONG if number % 2 else labeled.GOOD
        row |= {"steps": list(words[: 2 + number % 4 // 2]), "final_answer_correct": number % 2 == 0}
        row |= {"step_labels": None, "first_error": None}
    file = tmp_path / "outcomes.jsonl"
    file.write_text("".join(json.dumps(row) + "\n" for row in rows))
    meta = train([file], tmp_path / "orm", quick(base, method, target="outcome", cache=tmp_path / "states"))
    assert meta["record"]["aggregation"] == "last"
    assert meta["validation"]["auc"] > 0.9
    assert meta["validation"]["steps"] <= 90  # one figure per trace
    assert (meta["roles"]["orm"], meta["roles"]["prm"]) == ("this model", "unknown")
    assert "outcome reward model" in (tmp_path / "orm" / "README.md").read_text()


REFUSED: list[tuple[dict[str, Any], type[PrmError], str]] = [
    ({"method": "none"}, SpecError, "method is 'none'; it must be one of head, stacked, lora, full"),
    ({"batch": 0}, SpecError, "batch is 0"),
    ({"layers": (1, 2)}, SpecError, "at most one of layers"),
    ({"layers": (9,)}, SpecError, "The base has 2 layers; requested: 9"),
    ({"synthetic_errors": 9}, SpecError, "synthetic_errors is 9; it must be from 0 to 8"),
    ({"method": "head", "synthetic_errors": 1}, SpecError, "for a PRM trained by lora or full"),
    ({"target": "outcome", "synthetic_errors": 1}, SpecError, "for a PRM trained by lora or full"),
    ({"separator": "|"}, SpecError, "one or two newlines"),
]


@pytest.mark.parametrize(("wrong", "error", "sentence"), REFUSED)
def test_options_that_make_no_sense_are_refused(
    wrong: dict[str, Any], error: type[PrmError], sentence: str, base: Path, data: Path, tmp_path: Path
) -> None:
    with pytest.raises(error, match=sentence):
        train(
            [data],
            tmp_path / "prm",
            quick(base, **wrong) if "method" not in wrong else TrainOptions(base=base, **wrong),
        )


def test_the_command_line_trains_what_the_function_does(
    base: Path, data: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    asked = [str(data), str(tmp_path / "prm"), "--base", str(base), "--cache", str(tmp_path / "states")]
    assert command.main([*asked, "--layers", "1", "2", "--neutral", "drop"]) == 0
    shown = json.loads(capsys.readouterr().out)
    assert shown["beats_baseline"] is True
    train([data], tmp_path / "same", TrainOptions(base=base, cache=tmp_path / "states", layers=(1, 2), neutral="drop"))
    assert (tmp_path / "prm" / "model.safetensors").read_bytes() == (
        tmp_path / "same" / "model.safetensors"
    ).read_bytes()
    assert command.main([*asked, "--method", "full", "--layers", "7"]) == 1
    assert "requested: 7" in capsys.readouterr().err
