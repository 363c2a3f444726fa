"""A checkpoint is inspected before it is read, and the error says what does not fit."""

import json
import pickle
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
import torch
from safetensors.torch import load_file, save_file

from worker.prm.checkpoint import Checkpoint
from worker.prm.errors import CheckpointError, PrmError, SpecError
from worker.prm.registry import load_scorer
from worker.prm.spec import parse_spec
from worker.tests.prm import tiny


def load(folder: Path, family: str = "step_classifier", **fields: Any) -> None:
    load_scorer(parse_spec({"family": family, "path": str(folder), **fields}))


def edit_config(folder: Path, **fields: Any) -> None:
    file = folder / "config.json"
    record = {**json.loads(file.read_text()), **fields}
    file.write_text(json.dumps({key: value for key, value in record.items() if value is not None}))


def edit_tensors(folder: Path, change: Callable[[dict[str, torch.Tensor]], None]) -> None:
    file = folder / "model.safetensors"
    tensors = load_file(file)
    change(tensors)
    save_file(tensors, file)


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    return tiny.step_classifier(tmp_path / "model")


class Explosive:
    def __reduce__(self) -> tuple[Any, tuple[str]]:
        return (exec, ("raise SystemExit('code of the checkpoint ran')",))


def test_pickled_weights_are_never_opened(folder: Path) -> None:
    (folder / "model.safetensors").unlink()
    (folder / "pytorch_model.bin").write_bytes(pickle.dumps(Explosive()))
    with pytest.raises(
        CheckpointError, match=r"the pickled file pytorch_model\.bin, which is never opened.*save_pretrained"
    ):
        load(folder)


def test_code_beside_the_weights_never_runs(tmp_path: Path) -> None:
    folder = tiny.qwen_prm(tmp_path / "qwen")
    (folder / "modeling_qwen2_rm.py").write_text("raise SystemExit('code of the checkpoint ran')")
    load(folder, "qwen_prm")
    plain = tiny.step_classifier(tmp_path / "plain")
    (plain / "modeling_own.py").write_text("raise SystemExit('code of the checkpoint ran')")
    edit_config(plain, auto_map={"AutoModelForTokenClassification": "modeling_own.Own"})
    with pytest.raises(CheckpointError, match="auto_map.*Stepmark never does"):
        load(plain)


def test_a_chat_template_cannot_reach_python(tmp_path: Path) -> None:
    folder = tiny.rlhflow(tmp_path / "model")
    (folder / "chat_template.jinja").write_text("{{ messages.__class__.__mro__[1].__subclasses__() }}")
    with pytest.raises(CheckpointError, match="chat template fails"):
        load(folder, "rlhflow")


REFUSALS: dict[str, tuple[Callable[[Path], object], str]] = {
    "a missing head": (
        lambda folder: edit_tensors(folder, lambda tensors: tensors.pop("score.weight")),
        r"needs the tensor score\.weight \[2, 32\], which the checkpoint does not have",
    ),
    "a missing layer": (
        lambda folder: edit_tensors(folder, lambda tensors: tensors.pop("model.layers.1.mlp.up_proj.weight")),
        r"needs the tensor model\.layers\.1\.mlp\.up_proj\.weight \[64, 32\]",
    ),
    "another shape": (
        lambda folder: edit_config(folder, intermediate_size=128),
        r"mlp\.gate_proj\.weight has the shape \[64, 32\]; according to config\.json, .* needs \[128, 32\]",
    ),
    "adapter weights": (
        lambda folder: edit_tensors(folder, lambda tensors: tensors.update({"base.lora_A": torch.ones(1)})),
        r"The tensor base\.lora_A has no place",
    ),
    "another architecture": (
        lambda folder: edit_config(folder, model_type="bert"),
        "model_type .* 'bert'. Supported types",
    ),
    "quantized weights": (
        lambda folder: edit_config(folder, quantization_config={"quant_method": "gptq"}),
        "only unquantized weights",
    ),
    "five labels": (
        lambda folder: edit_config(folder, id2label={str(label): str(label) for label in range(5)}),
        "5 labels; a step classifier has 2 or 3",
    ),
    "no config": (lambda folder: (folder / "config.json").unlink(), r"config\.json is missing"),
    "a broken config": (lambda folder: (folder / "config.json").write_text("{"), "is not JSON"),
    "no tokenizer": (
        lambda folder: (folder / "tokenizer.json").unlink(),
        r"tokenizer\.json is missing.*save_pretrained",
    ),
    "half a file": (
        lambda folder: (folder / "model.safetensors").write_bytes((folder / "model.safetensors").read_bytes()[:5000]),
        "not a complete safetensors file",
    ),
    "something else named safetensors": (
        lambda folder: (folder / "model.safetensors").write_bytes(b"PK\x03\x04" * 100),
        "not a safetensors file",
    ),
    "an index that leaves the folder": (
        lambda folder: (folder / "model.safetensors.index.json").write_text(
            json.dumps({"weight_map": {"a": "../other.safetensors"}})
        ),
        "names files outside",
    ),
    "a shard that is not there": (
        lambda folder: (folder / "model.safetensors.index.json").write_text(
            json.dumps({"weight_map": {"a": "model-2.safetensors"}})
        ),
        r"names model-2\.safetensors, but",
    ),
}


@pytest.mark.parametrize("name", REFUSALS)
def test_what_does_not_fit_is_named(name: str, folder: Path) -> None:
    break_it, sentence = REFUSALS[name]
    break_it(folder)
    with pytest.raises(CheckpointError, match=sentence):
        load(folder)


def test_a_folder_that_is_not_there_is_no_hub_name() -> None:
    with pytest.raises(CheckpointError, match="never a hub name"):
        load(Path("Qwen/Qwen2.5-Math-PRM-7B"))


@pytest.mark.parametrize(
    ("build", "family"),
    [
        (tiny.skywork, "step_classifier"),
        (tiny.step_classifier, "skywork"),
        (tiny.qwen_prm, "skywork"),
        (tiny.skywork, "qwen_prm"),
        (tiny.math_shepherd, "skywork"),
        (tiny.step_classifier, "math_shepherd"),
        (tiny.step_classifier, "reasoneval"),
        (tiny.qwen_prm, "rlhflow"),
    ],
)
def test_a_checkpoint_of_another_family_is_refused(build: Callable[[Path], Path], family: str, tmp_path: Path) -> None:
    with pytest.raises(CheckpointError):
        load(build(tmp_path / "model"), family)


def test_other_weights_under_a_registered_checksum_are_refused(folder: Path) -> None:
    checksum = Checkpoint(folder).checksum()
    load(folder, checksum=checksum)
    edit_tensors(folder, lambda tensors: tensors["score.bias"].add_(0.001))
    with pytest.raises(CheckpointError, match="not the registered model"):
        load(folder, checksum=checksum)


def test_weights_in_shards_are_one_checkpoint(tmp_path: Path, folder: Path) -> None:
    tensors = load_file(folder / "model.safetensors")
    names = sorted(tensors)
    parts = {"model-1.safetensors": names[::2], "model-2.safetensors": names[1::2]}
    spec = parse_spec({"family": "step_classifier", "path": str(folder)})
    whole = load_scorer(spec).score("How many?", [["one", "two"]])
    (folder / "model.safetensors").unlink()
    for file, part in parts.items():
        save_file({name: tensors[name] for name in part}, folder / file)
    places = {name: file for file, part in parts.items() for name in part}
    (folder / "model.safetensors.index.json").write_text(json.dumps({"weight_map": places}))
    assert load_scorer(spec).score("How many?", [["one", "two"]]) == whole


@pytest.mark.parametrize(
    ("record", "sentence"),
    [
        ({"path": "x"}, "must name its family"),
        ({"family": "magic", "path": "x"}, "Unknown family 'magic'"),
        ({"family": "skywork"}, "either a path .* or a url"),
        ({"family": "skywork", "path": "x", "url": "http://x"}, "either a path .* or a url"),
        ({"family": "skywork", "url": "http://x"}, "needs a path"),
        ({"family": "pooling_server", "path": "x"}, "needs a url"),
        ({"family": "pooling_server", "url": "file:///etc/passwd"}, "not an http or https address"),
        ({"family": "pooling_server", "url": "http://x"}, "needs the option model"),
        ({"family": "skywork", "path": "x", "dtype": "float16"}, "dtype is 'float16'; it must be float32 or bfloat16"),
        ({"family": "skywork", "path": "x", "neutral": "drop"}, "neutral is 'drop'"),
        ({"family": "skywork", "path": "x", "aggregation": "sum"}, "aggregation is 'sum'"),
        ({"family": "skywork", "path": "x", "max_tokens": 0}, "max_tokens must be a positive number"),
        ({"family": "skywork", "path": "x", "revision": "main"}, "Unknown field 'revision'"),
    ],
)
def test_a_record_that_makes_no_sense_is_refused(record: dict[str, Any], sentence: str) -> None:
    with pytest.raises((SpecError, PrmError), match=sentence):
        load_scorer(parse_spec(record))


def test_a_misspelt_option_is_refused(folder: Path) -> None:
    with pytest.raises(SpecError, match="Unknown option 'separators' .* Its options: separator"):
        load(folder, options={"separators": "\n\n"})


def test_the_fingerprint_changes_with_everything_that_changes_a_score(folder: Path, tmp_path: Path) -> None:
    records: list[dict[str, Any]] = [
        {},
        {"dtype": "bfloat16"},
        {"aggregation": "min"},
        {"neutral": "negative"},
        {"max_tokens": 100},
        {"options": {"separator": "\n\n"}},
        {"path": str(tiny.step_classifier(tmp_path / "x" / "other"))},
    ]
    specs = [parse_spec({"family": "step_classifier", "path": str(folder), **record}) for record in records]
    assert len({load_scorer(spec).fingerprint for spec in specs}) == len(records)
    assert load_scorer(specs[0]).fingerprint == load_scorer(specs[0]).fingerprint
