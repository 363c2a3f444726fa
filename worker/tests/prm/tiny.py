"""Tiny checkpoints with random weights, in published architectures, token layouts and tensor names."""

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import torch
from safetensors.torch import save_file
from tokenizers import Regex, Tokenizer, decoders, models, normalizers, pre_tokenizers, processors, trainers
from transformers import (
    LlamaConfig,
    LlamaModel,
    MistralConfig,
    MistralModel,
    PreTrainedModel,
    Qwen2Config,
    Qwen2Model,
)

CORPUS = [
    "Step 1: Natalia sold 48/2 = <<48/2=24>>24 clips in May.\n\nStep 2: So 48+24 = 72. ки\n",
    "Question:\nHow many apples are left?\nAnswer:\nLet's think step by step.\n",
    "We have $x^2 - 4 = (x-2)(x+2)$, so $x = \\pm 2$. ки + - ки + -\nA: 72\n",
    "Therefore, the answer is \\boxed{12}.\n\nThe second month had 60*3 = 180 downloads.\n",
]
QWEN_SPLIT = (
    r"(?i:'s|'t|'re|'ve|'m|'ll|'d)|[^\r\n\p{L}\p{N}]?\p{L}+|\p{N}| ?[^\s\p{L}\p{N}]+[\r\n]*|\s*[\r\n]+|\s+(?!\S)|\s+"
)
CHATML = (
    "{% for m in messages %}<|im_start|>{{ m.role }}\n{{ m.content }}<|im_end|>\n{% endfor %}"
    "{% if add_generation_prompt %}<|im_start|>assistant\n{% endif %}"
)
LLAMA3 = (
    "{{ bos_token }}{% for m in messages %}<|start_header_id|>{{ m.role }}<|end_header_id|>\n\n"
    "{{ m.content | trim }}<|eot_id|>{% endfor %}"
    "{% if add_generation_prompt %}<|start_header_id|>assistant<|end_header_id|>\n\n{% endif %}"
)


def byte_level(special: list[str]) -> Tokenizer:
    """Make a tokenizer like Qwen's and Llama 3's: bytes, and "\\n\\n" and ".\\n\\n" are tokens."""
    tokenizer = Tokenizer(models.BPE())
    tokenizer.pre_tokenizer = pre_tokenizers.Sequence(
        [
            pre_tokenizers.Split(Regex(QWEN_SPLIT), "isolated"),
            pre_tokenizers.ByteLevel(add_prefix_space=False, use_regex=False),
        ]
    )
    tokenizer.decoder = decoders.ByteLevel()
    alphabet = pre_tokenizers.ByteLevel.alphabet()
    trainer = trainers.BpeTrainer(
        vocab_size=500, special_tokens=special, initial_alphabet=alphabet, show_progress=False
    )
    tokenizer.train_from_iterator(CORPUS * 4, trainer)
    return tokenizer


def spaces_marked(special: list[str]) -> Tokenizer:
    """Make a tokenizer like Mistral's and Llama 2's: spaces become ▁, another opens each text, and it adds the BOS."""
    tokenizer = Tokenizer(models.BPE(unk_token=special[0], fuse_unk=True))
    tokenizer.normalizer = normalizers.Sequence([normalizers.Prepend("▁"), normalizers.Replace(" ", "▁")])
    tokenizer.pre_tokenizer = pre_tokenizers.Split(Regex(r"\n|▁?[^▁\n]+|▁"), "isolated")
    trainer = trainers.BpeTrainer(vocab_size=600, special_tokens=special, min_frequency=1, show_progress=False)
    tokenizer.train_from_iterator(CORPUS * 4, trainer)
    bos = special[1]
    tokenizer.post_processor = processors.TemplateProcessing(
        single=f"{bos} $A", special_tokens=[(bos, tokenizer.token_to_id(bos))]
    )
    return tokenizer


KINDS: dict[str, tuple[type[Any], type[PreTrainedModel], dict[str, Any]]] = {
    "llama": (LlamaConfig, LlamaModel, {}),
    "mistral": (MistralConfig, MistralModel, {"sliding_window": None}),
    "qwen2": (Qwen2Config, Qwen2Model, {}),
}


def write(
    folder: Path,
    kind: str,
    tokenizer: Tokenizer,
    heads: Mapping[str, tuple[int, ...]],
    tokenizer_config: Mapping[str, Any],
    **fields: Any,
) -> Path:
    """Write a checkpoint folder: 2 layers, 4 query heads over 2 key heads, random weights with decided answers."""
    folder.mkdir(parents=True, exist_ok=True)
    config_class, model_class, usual = KINDS[kind]
    shape = {
        "vocab_size": tokenizer.get_vocab_size(),
        "hidden_size": 32,
        "intermediate_size": 64,
        "num_hidden_layers": 2,
        "num_attention_heads": 4,
        "num_key_value_heads": 2,
        "max_position_embeddings": 512,
        "initializer_range": 0.3,
        "pad_token_id": 0,
        "bos_token_id": 1,
        "eos_token_id": 2,
    }
    config = config_class(**{**shape, **usual, **fields})
    generator = torch.Generator().manual_seed(int.from_bytes(folder.name.encode()[:6], "big"))
    tensors = {}
    for name, tensor in model_class(config).state_dict().items():
        scale = 0.3 if tensor.ndim > 1 else 0.1
        noise = torch.randn(tensor.shape, generator=generator) * scale
        tensors[f"model.{name}"] = noise + (1.0 if name.endswith("norm.weight") else 0.0)
    for name, size in heads.items():
        tensors[name] = torch.randn(size, generator=generator) * 0.4
    save_file(tensors, folder / "model.safetensors", metadata={"format": "pt"})
    record = {**config.to_dict(), **fields}
    (folder / "config.json").write_text(json.dumps(record, default=str))
    tokenizer.save(str(folder / "tokenizer.json"))
    facts = {"tokenizer_class": "PreTrainedTokenizerFast", **tokenizer_config}
    (folder / "tokenizer_config.json").write_text(json.dumps(facts))
    return folder


def step_classifier(folder: Path, labels: int = 2, kind: str = "qwen2", **fields: Any) -> Path:
    """TRL: a token classifier."""
    heads = {"score.weight": (labels, 32), "score.bias": (labels,)}
    names = {str(label): f"LABEL_{label}" for label in range(labels)}
    fields = {"architectures": [f"{kind.title()}ForTokenClassification"], "id2label": names, **fields}
    tokenizer = byte_level(["<pad>", "<s>", "</s>"])
    return write(
        folder, kind, tokenizer, heads, {"bos_token": "<s>", "eos_token": "</s>", "pad_token": "<pad>"}, **fields
    )


def qwen_prm(folder: Path, **fields: Any) -> Path:
    """Qwen2.5-Math-PRM, with the auto_map it is published with."""
    heads = {"score.0.weight": (32, 32), "score.0.bias": (32,), "score.2.weight": (2, 32), "score.2.bias": (2,)}
    tokenizer = byte_level(["<|endoftext|>", "<|im_start|>", "<|im_end|>", "<extra_0>"])
    facts = {"eos_token": "<|im_end|>", "pad_token": "<|endoftext|>", "chat_template": CHATML}
    remote = {"AutoModel": "modeling_qwen2_rm.Qwen2ForProcessRewardModel"}
    fields = {"architectures": ["Qwen2ForProcessRewardModel"], "auto_map": remote, **fields}
    return write(folder, "qwen2", tokenizer, heads, facts, **fields)


def math_shepherd(folder: Path, **fields: Any) -> Path:
    """A causal language model over a tokenizer with ▁ки, ▁+ and ▁-."""
    tokenizer = spaces_marked(["<unk>", "<s>", "</s>"])
    heads = {"lm_head.weight": (tokenizer.get_vocab_size(), 32)}
    facts = {"bos_token": "<s>", "eos_token": "</s>", "unk_token": "<unk>"}
    return write(folder, "mistral", tokenizer, heads, facts, architectures=["MistralForCausalLM"], **fields)


def rlhflow(folder: Path, **fields: Any) -> Path:
    """A causal language model with Llama 3's chat template, which opens with the BOS."""
    special = ["<|begin_of_text|>", "<|start_header_id|>", "<|end_header_id|>", "<|eot_id|>"]
    tokenizer = byte_level(special)
    heads = {"lm_head.weight": (tokenizer.get_vocab_size(), 32)}
    tokenizer.post_processor = processors.TemplateProcessing(
        single=f"{special[0]} $A", special_tokens=[(special[0], tokenizer.token_to_id(special[0]))]
    )
    facts = {"bos_token": special[0], "eos_token": special[3], "chat_template": LLAMA3}
    return write(folder, "llama", tokenizer, heads, facts, architectures=["LlamaForCausalLM"], **fields)


def skywork(folder: Path, **fields: Any) -> Path:
    """A language model with a value head in addition to its LM head."""
    tokenizer = byte_level(["<|endoftext|>", "<|im_start|>", "<|im_end|>"])
    heads = {
        "v_head.summary.weight": (1, 32),
        "v_head.summary.bias": (1,),
        "lm_head.weight": (tokenizer.get_vocab_size(), 32),
    }
    facts = {"bos_token": "<|endoftext|>", "eos_token": "<|im_end|>", "pad_token": "<|endoftext|>"}
    return write(folder, "qwen2", tokenizer, heads, facts, architectures=["Qwen2ForPrmModel"], **fields)


def reasoneval(folder: Path, size: str, **fields: Any) -> Path:
    """7B: Mistral, BOS = pad. 34B: Llama, a tokenizer that adds no BOS."""
    heads: dict[str, tuple[int, ...]] = {"score_head.weight": (3, 32)}
    if size == "7B":
        facts = {"bos_token": "<s>", "eos_token": "</s>", "unk_token": "<unk>", "pad_token": "<s>"}
        tokenizer = spaces_marked(["<unk>", "<s>", "</s>"])
        return write(folder, "mistral", tokenizer, heads, facts, score_dimension=3, use_bias=False, **fields)
    tokenizer = byte_level(["<pad>", "</s>"])
    facts = {"eos_token": "</s>", "pad_token": "<pad>"}
    return write(
        folder, "llama", tokenizer, {**heads, "score_head.bias": (3,)}, facts, score_dim=3, bias=True, **fields
    )


def language_model(folder: Path, tied: bool = False, **fields: Any) -> Path:
    """A chat model, as policy or reference of an implicit PRM."""
    tokenizer = byte_level(["<|endoftext|>", "<|im_start|>", "<|im_end|>"])
    heads = {} if tied else {"lm_head.weight": (tokenizer.get_vocab_size(), 32)}
    facts = {"eos_token": "<|im_end|>", "pad_token": "<|endoftext|>", "chat_template": CHATML}
    fields = {"architectures": ["Qwen2ForCausalLM"], "tie_word_embeddings": tied, **fields}
    return write(folder, "qwen2", tokenizer, heads, facts, **fields)
