"""Common mistakes of scripts for PRMs, one by one."""

import json
import math
from pathlib import Path

import pytest
import torch
from safetensors.torch import load_file, save_file
from tokenizers import Tokenizer

from worker.prm.checkpoint import Checkpoint
from worker.prm.errors import SpecError
from worker.prm.family import TokenFamily
from worker.prm.registry import LOCAL, load_scorer
from worker.prm.spec import parse_spec
from worker.tests.prm import straight_line, tiny

PROBLEM = "How many apples are left?"


def load(folder: Path, family: str, **options: object) -> TokenFamily:
    spec = parse_spec({"family": family, "path": str(folder), "options": options})
    return LOCAL[family](spec, Checkpoint(folder), torch.device("cpu"))


def test_steps_and_separators_are_tokenized_apart_though_the_joined_text_merges_them(tmp_path: Path) -> None:
    folder = tiny.step_classifier(tmp_path / "model")
    tokenizer = Tokenizer.from_file(str(folder / "tokenizer.json"))
    step = "Therefore, the answer is \\boxed{12}."
    apart = tokenizer.encode(step).ids + tokenizer.encode("\n\n").ids
    joined = tokenizer.encode(f"{step}\n\n").ids
    assert len(joined) < len(apart), "this tokenizer would not show the mistake"
    rendered = load(folder, "step_classifier", separator="\n\n").render(PROBLEM, [step])
    assert rendered.ids[-len(apart) :] == apart


def test_a_probability_that_underflows_shifts_no_later_step(tmp_path: Path) -> None:
    folder = tiny.qwen_prm(tmp_path / "model")
    steps = ["So 48+24 = 72.", "A: 72", "Step 1: Natalia sold 48/2 clips.", "done", "+ - x", "24 clips in May."]
    logits = torch.tensor(straight_line.qwen_prm(folder, PROBLEM, steps)[2]).logit()
    weights = load_file(folder / "model.safetensors")
    weights["score.2.bias"][1] -= logits.quantile(0.5)
    for name in ("score.2.weight", "score.2.bias"):
        weights[name] *= 4000
    save_file(weights, folder / "model.safetensors", metadata={"format": "pt"})
    spec = parse_spec({"family": "qwen_prm", "path": str(folder)})
    score = load_scorer(spec).score(PROBLEM, [steps])[0]
    _ids, _positions, expected = straight_line.qwen_prm(folder, PROBLEM, steps)
    assert min(expected) == 0.0, "no probability underflows here, so nothing is shown"
    assert max(expected) > 0.4
    assert score.steps == pytest.approx(expected, abs=1e-4)
    assert score.score is not None
    assert score.score > -math.inf, "the log of a step that underflowed is still a number"


def test_a_blank_line_inside_a_step_is_no_boundary(tmp_path: Path) -> None:
    family = load(tiny.step_classifier(tmp_path / "model"), "step_classifier", separator="\n\n")
    assert len(family.render(PROBLEM, ["one\n\nstill one", "two"]).positions) == 2


def test_a_tokenizer_file_that_truncates_cuts_nothing(tmp_path: Path) -> None:
    folder = tiny.qwen_prm(tmp_path / "model")
    tokenizer = Tokenizer.from_file(str(folder / "tokenizer.json"))
    tokenizer.enable_truncation(12)
    tokenizer.enable_padding(length=200)
    tokenizer.save(str(folder / "tokenizer.json"))
    rendered = load(folder, "qwen_prm").render(PROBLEM, ["one two three"] * 5)
    assert len(rendered.positions) == 5
    assert len(rendered.ids) == rendered.positions[-1] + 1


def test_a_plus_in_a_step_is_not_taken_for_a_verdict(tmp_path: Path) -> None:
    folder = tiny.rlhflow(tmp_path / "model")
    steps = ["+", "3 + 4 = 7 +", "+ + +"]
    _ids, positions, expected = straight_line.rlhflow(folder, PROBLEM, steps)
    spec = parse_spec({"family": "rlhflow", "path": str(folder)})
    assert load(folder, "rlhflow").render(PROBLEM, steps).positions == positions
    assert load_scorer(spec).score(PROBLEM, [steps])[0].steps == pytest.approx(expected, abs=1e-4)


def test_a_chat_template_brings_the_only_bos(tmp_path: Path) -> None:
    folder = tiny.rlhflow(tmp_path / "model")
    tokenizer = Tokenizer.from_file(str(folder / "tokenizer.json"))
    bos = tokenizer.token_to_id("<|begin_of_text|>")
    assert tokenizer.encode("x").ids[0] == bos, "this tokenizer adds none by itself, so nothing is shown"
    assert load(folder, "rlhflow").render(PROBLEM, ["one", "two"]).ids.count(bos) == 1


def test_the_tag_of_math_shepherd_is_found_after_a_full_stop_and_after_a_space(tmp_path: Path) -> None:
    folder = tiny.math_shepherd(tmp_path / "model")
    tokenizer = Tokenizer.from_file(str(folder / "tokenizer.json"))
    tag = tokenizer.encode("ки", add_special_tokens=False).ids[-1]
    assert tag not in tokenizer.encode("= 9.ки", add_special_tokens=False).ids, (
        "without the space it would be found too"
    )
    rendered = load(folder, "math_shepherd").render(PROBLEM, ["So 3*3 = 9.", "It is 9. ", "Step 3: ки"])
    assert [rendered.ids[at] for at in rendered.positions] == [tag] * 3
    assert len(set(rendered.positions)) == 3


def test_a_tag_that_the_tokenizer_merges_leaves_the_trace_unscored_and_shifts_none(tmp_path: Path) -> None:
    folder = tiny.math_shepherd(tmp_path / "model")
    record = json.loads((folder / "tokenizer.json").read_text())
    record["normalizer"]["normalizers"].append({"type": "Replace", "pattern": {"String": "9.▁ки"}, "content": "9.ки"})
    (folder / "tokenizer.json").write_text(json.dumps(record))
    scorer = load_scorer(parse_spec({"family": "math_shepherd", "path": str(folder)}))
    merged, fine = scorer.score(PROBLEM, [["So 3*3 = 9.", "A: 8"], ["So 3*3 = 8", "A: 8"]])
    assert merged.steps is None
    assert merged.reason is not None
    assert "ки" in merged.reason
    assert fine.reason is None


def test_log_ratios_are_ranked_and_never_multiplied(tmp_path: Path) -> None:
    policy = tiny.language_model(tmp_path / "policy")
    tiny.language_model(tmp_path / "reference")
    spec = parse_spec({"family": "implicit", "path": str(policy), "base": "reference", "aggregation": "product"})
    with pytest.raises(SpecError, match="no probabilities"):
        load_scorer(spec)


def test_a_template_that_rewrites_earlier_turns_is_refused(tmp_path: Path) -> None:
    folder = tiny.rlhflow(tmp_path / "model")
    record = json.loads((folder / "tokenizer_config.json").read_text())
    record["chat_template"] = "{{ messages | length }}" + record["chat_template"]
    (folder / "tokenizer_config.json").write_text(json.dumps(record))
    with pytest.raises(Exception, match="chat template") as caught:
        load(folder, "rlhflow")
    assert type(caught.value).__name__ == "CheckpointError"
