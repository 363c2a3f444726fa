"""What each checkpoint says about one trace, in plain transformers: no tree, no chunks, one trace at a time.

Written from the authors' own scripts, and separate from the code under test: it uses nothing of `worker.prm`. Each
function returns (ids, positions, numbers).
"""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import torch
from safetensors.torch import load_file
from torch import Tensor
from transformers import (
    AutoModel,
    AutoModelForCausalLM,
    AutoModelForTokenClassification,
    PreTrainedTokenizerFast,
)

Answer = tuple[list[int], list[int], list[float]]


def tokenizer_of(folder: Path) -> Any:
    return PreTrainedTokenizerFast.from_pretrained(folder)


def hidden_of(folder: Path, ids: list[int]) -> Tensor:
    model = AutoModel.from_pretrained(folder, attn_implementation="eager", dtype=torch.float32).eval()
    with torch.no_grad():
        return model(input_ids=torch.tensor([ids])).last_hidden_state[0]


def logits_of(folder: Path, ids: list[int]) -> Tensor:
    model = AutoModelForCausalLM.from_pretrained(folder, attn_implementation="eager", dtype=torch.float32).eval()
    with torch.no_grad():
        return model(input_ids=torch.tensor([ids])).logits[0]


def trl(separator: str, right: list[int]) -> Callable[[Path, str, list[str]], Answer]:
    """PRMTrainer.tokenize_row, then a token classifier."""

    def answer(folder: Path, problem: str, steps: list[str]) -> Answer:
        tokenizer = tokenizer_of(folder)
        model = AutoModelForTokenClassification.from_pretrained(folder, attn_implementation="eager").eval()
        prompt = tokenizer(problem, add_special_tokens=False)["input_ids"]
        completions = [tokenizer(step, add_special_tokens=False)["input_ids"] for step in steps]
        mark = tokenizer.encode(separator, add_special_tokens=False)
        labels: list[int] = []
        ids = [tokenizer.bos_token_id, *prompt]
        labels = [-100] * len(ids)
        for completion in completions:
            ids += completion + mark
            labels += [-100] * (len(completion) + len(mark) - 1) + [1]
        with torch.no_grad():
            found = model(input_ids=torch.tensor([ids])).logits[0].softmax(-1)
        positions = [at for at, label in enumerate(labels) if label != -100]
        return ids, positions, [found[at, right].sum().item() for at in positions]

    return answer


def qwen_prm(folder: Path, problem: str, steps: list[str]) -> Answer:
    """The model card, with its masked probabilities indexed by position."""
    tokenizer = tokenizer_of(folder)
    system = "Please reason step by step, and put your final answer within \\boxed{}."
    messages = [
        {"role": "system", "content": system},
        {"role": "user", "content": problem},
        {"role": "assistant", "content": "<extra_0>".join(steps) + "<extra_0>"},
    ]
    text = tokenizer.apply_chat_template(messages, tokenize=False, add_generation_prompt=False)
    ids = tokenizer.encode(text)
    head = load_file(folder / "model.safetensors")
    hidden = hidden_of(folder, ids)
    inner = torch.relu(hidden @ head["score.0.weight"].T + head["score.0.bias"])
    found = (inner @ head["score.2.weight"].T + head["score.2.bias"]).softmax(-1)
    positions = [at for at, one in enumerate(ids) if one == tokenizer.convert_tokens_to_ids("<extra_0>")]
    return ids, positions, [found[at, 1].item() for at in positions]


def math_shepherd(folder: Path, problem: str, steps: list[str]) -> Answer:
    """The model card: the whole text at once, scores at the positions of the tag's id."""
    tokenizer = tokenizer_of(folder)
    candidates = tokenizer.encode("+ -")[1:]
    tag = tokenizer.encode("ки")[-1]
    output = "\n".join(f"Step {number}: {step} ки" for number, step in enumerate(steps, start=1))
    ids = tokenizer.encode(f"{problem} {output}")
    found = logits_of(folder, ids)[:, candidates].softmax(-1)[:, 0]
    positions = [at for at, one in enumerate(ids) if one == tag]
    return ids, positions, [found[at].item() for at in positions]


def rlhflow(folder: Path, problem: str, steps: list[str]) -> Answer:
    """prm_evaluate.py: one pass per step, position -3."""
    tokenizer = tokenizer_of(folder)
    plus, minus = tokenizer.encode("+")[-1], tokenizer.encode("-")[-1]
    conversation: list[dict[str, str]] = []
    ids: list[int] = []
    positions, numbers = [], []
    for number, step in enumerate(steps):
        conversation.append({"role": "user", "content": step if number else f"{problem} {step}"})
        conversation.append({"role": "assistant", "content": "+"})
        text = tokenizer.apply_chat_template(conversation, tokenize=False)
        ids = tokenizer.encode(text, add_special_tokens=False)
        found = logits_of(folder, ids)[-3, [plus, minus]].softmax(-1)
        positions.append(len(ids) - 3)
        numbers.append(found[0].item())
    return ids, positions, numbers


def skywork(folder: Path, problem: str, steps: list[str]) -> Answer:
    """io_utils.prepare_input, then the value head."""
    tokenizer = tokenizer_of(folder)
    ids = tokenizer.encode(tokenizer.bos_token + problem + "\n")
    flags = [0] * len(ids)
    newline = tokenizer.encode("\n")[-1]
    for step in steps:
        more = [*tokenizer.encode(step), newline]
        ids += more
        flags += [0] * (len(more) - 1) + [1]
    head = load_file(folder / "model.safetensors")
    value = hidden_of(folder, ids) @ head["v_head.summary.weight"].T + head["v_head.summary.bias"]
    positions = [at for at, flag in enumerate(flags) if flag]
    return ids, positions, [torch.sigmoid(value[at, 0]).item() for at in positions]


def reasoneval(size: str) -> Callable[[Path, str, list[str]], Answer]:
    """examples.py: pad tokens between the steps, found and removed again."""

    def answer(folder: Path, problem: str, steps: list[str]) -> Answer:
        tokenizer = tokenizer_of(folder)
        separator = tokenizer.pad_token
        prompt = f"Question:\n{problem}\nAnswer:\nLet's think step by step.\n"
        tokens = tokenizer(prompt + separator + "".join(step + separator for step in steps))["input_ids"]
        mark = tokenizer(separator)["input_ids"][-1]
        ids: list[int] = []
        positions: list[int] = []
        for at, token in enumerate(tokens):
            if token == mark:
                positions.append(at - 1 - len(positions))
            else:
                ids.append(token)
        if size == "7B":
            ids, positions = [1, *ids], positions[2:]
        else:
            positions = positions[1:]
        head = load_file(folder / "model.safetensors")
        logits = hidden_of(folder, ids) @ head["score_head.weight"].T + head.get("score_head.bias", torch.zeros(3))
        found = logits.softmax(-1)
        return ids, positions, [(found[at, 1] + found[at, 2]).item() for at in positions]

    return answer


def implicit(folder: Path, reference: Path, problem: str, steps: list[str], beta: float) -> Answer:
    """Sum of log ratios up to each step's last token, as differences; token by token."""
    tokenizer = tokenizer_of(folder)
    texts = [f"Step {number}: {step}" for number, step in enumerate(steps, start=1)]
    opening = tokenizer.apply_chat_template(
        [{"role": "user", "content": problem}], tokenize=False, add_generation_prompt=True
    )
    ids = tokenizer.encode(opening + "\n\n".join(texts))
    begins = len(tokenizer.encode(opening))
    positions = []
    for count in range(1, len(texts) + 1):
        # The prefix with its separator: the token that ends the step's text may include the separator.
        prefix = opening + "\n\n".join(texts[:count])
        length, read = 0, ""
        while not read.startswith(prefix):
            length += 1
            read = tokenizer.decode(ids[:length], clean_up_tokenization_spaces=False)
        positions.append(length - 1)
    ours, theirs = (logits_of(one, ids).log_softmax(-1) for one in (folder, reference))
    numbers, before, total = [], 0.0, 0.0
    for at in range(begins, len(ids)):
        total += beta * (ours[at - 1, ids[at]] - theirs[at - 1, ids[at]]).item()
        if at in positions:
            numbers.append(total - before)
            before = total
    return ids, positions, numbers
