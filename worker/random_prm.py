"""`python -m worker.random_prm FOLDER`: a tiny step classifier with random weights, so that a demo can run a round.

Its scores are meaningless, and its name says so. Everything else about it is real: a checkpoint in safetensors, loaded,
checked and used for scoring like any other. Writes FOLDER/demo-random and FOLDER/demo-random.json, its record.
"""

import json
import sys
from pathlib import Path

import torch
from safetensors.torch import save_file
from tokenizers import Tokenizer, decoders, models, pre_tokenizers
from transformers import Qwen2Config, Qwen2Model

NAME = "demo-random"
WIDTH = 64
SPECIAL = ("<pad>", "<s>", "</s>")


def main() -> None:
    """Make the PRM unless it exists."""
    folder = Path(sys.argv[1])
    record = folder / f"{NAME}.json"
    if not record.exists():
        write_checkpoint(folder / NAME)
        record.write_text(json.dumps({"family": "step_classifier", "path": NAME, "base": "none: random weights"}))


def write_checkpoint(folder: Path) -> None:
    """Write two layers over bytes, with a head of two labels; the same weights every time."""
    folder.mkdir(parents=True, exist_ok=True)
    tokenizer = tokenizer_of_bytes()
    config = Qwen2Config(
        vocab_size=tokenizer.get_vocab_size(),
        hidden_size=WIDTH,
        intermediate_size=2 * WIDTH,
        num_hidden_layers=2,
        num_attention_heads=4,
        num_key_value_heads=2,
        max_position_embeddings=8192,
        architectures=["Qwen2ForTokenClassification"],
        id2label={0: "wrong", 1: "correct"},
    )
    generator = torch.Generator().manual_seed(1)
    tensors = {
        f"model.{name}": torch.randn(tensor.shape, generator=generator) * 0.2 + float(name.endswith("norm.weight"))
        for name, tensor in Qwen2Model(config).state_dict().items()
    }
    tensors["score.weight"] = torch.randn(2, WIDTH, generator=generator) * 0.2
    tensors["score.bias"] = torch.tensor([-1.0, 1.0])  # most steps of a trace are right
    save_file(tensors, folder / "model.safetensors", metadata={"format": "pt"})
    (folder / "config.json").write_text(json.dumps(config.to_dict(), default=str))
    tokenizer.save(str(folder / "tokenizer.json"))
    facts = {
        "tokenizer_class": "PreTrainedTokenizerFast",
        "pad_token": "<pad>",
        "bos_token": "<s>",
        "eos_token": "</s>",
    }
    (folder / "tokenizer_config.json").write_text(json.dumps(facts))


def tokenizer_of_bytes() -> Tokenizer:
    """Return a tokenizer with one token per byte, and three special ones."""
    alphabet = sorted(pre_tokenizers.ByteLevel.alphabet())
    tokenizer = Tokenizer(models.BPE({token: number for number, token in enumerate((*SPECIAL, *alphabet))}, []))
    tokenizer.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False)
    tokenizer.decoder = decoders.ByteLevel()
    tokenizer.add_special_tokens(list(SPECIAL))
    return tokenizer


if __name__ == "__main__":
    main()
