"""The folders under MODELS_DIR that look like models, with their families. Only names and config.json are read."""

import json
import os
from collections.abc import Iterator
from pathlib import Path
from typing import Any

MOST_FOLDERS = 200
LARGEST_CONFIG = 2**20  # bytes
DEEPEST = 2  # levels, as in owner/name
OWN = "trained"  # PRMs that were trained here are already registered
BY_ARCHITECTURE = {"Qwen2ForProcessRewardModel": "qwen_prm", "Qwen2ForPrmModel": "skywork"}
BY_NAME = (  # for language models that only their name tells apart
    ("shepherd", "math_shepherd"),
    ("skywork", "skywork"),
    ("eurus", "implicit"),
    ("reasoneval", "reasoneval"),
    ("llama3.1-8b-prm", "rlhflow"),
)


def model_folders(root: Path) -> list[dict[str, Any]]:
    """Return the folders with a config.json, ordered by name: {folder, architecture, family, labels, weights}."""
    found = []
    for folder in _folders(root, root.resolve(), 1):
        found.append(_described(folder, folder.relative_to(root).as_posix()))
        if len(found) == MOST_FOLDERS:
            break
    return found


def family_of(config: dict[str, Any], name: str) -> str:
    """Return the family that a model seems to belong to; empty if nothing shows it. A worker's check decides."""
    architecture = _architecture(config)
    if architecture in BY_ARCHITECTURE:
        return BY_ARCHITECTURE[architecture]
    if architecture.endswith("ForTokenClassification"):
        return "step_classifier"
    if "score_dimension" in config or "score_dim" in config:
        return "reasoneval"
    return next((family for part, family in BY_NAME if part in name.lower()), "")


def _folders(folder: Path, root: Path, depth: int) -> Iterator[Path]:
    try:
        inside = sorted((one.name for one in os.scandir(folder) if one.is_dir()), key=str.lower)
    except OSError:  # missing or unreadable: nothing can be loaded from it
        return
    for name in inside:
        path = folder / name
        hidden = name.startswith(".") or (depth == 1 and name == OWN)
        if hidden or not path.resolve().is_relative_to(root):
            continue
        if (path / "config.json").is_file():
            yield path
        elif depth < DEEPEST:
            yield from _folders(path, root, depth + 1)


def _described(folder: Path, name: str) -> dict[str, Any]:
    config = _config(folder)
    labels = config.get("num_labels") or (config.get("id2label") and len(config["id2label"])) or None
    return {
        "folder": name,
        "architecture": _architecture(config)[:100],
        "family": family_of(config, name),
        "labels": labels if isinstance(labels, int) else None,
        "weights": _weights(folder),
    }


def _config(folder: Path) -> dict[str, Any]:
    path = folder / "config.json"
    try:
        if path.stat().st_size > LARGEST_CONFIG:
            return {}
        config = json.loads(path.read_bytes())
    except (OSError, ValueError):
        return {}
    return config if isinstance(config, dict) else {}


def _architecture(config: dict[str, Any]) -> str:
    named = config.get("architectures")
    return named[0] if isinstance(named, list) and named and isinstance(named[0], str) else ""


def _weights(folder: Path) -> str:
    """Return safetensors, pickled (which is never opened here) or none."""
    endings = {Path(name).suffix for name in os.listdir(folder)}
    if ".safetensors" in endings:
        return "safetensors"
    return "pickled" if endings & {".bin", ".pt", ".pth", ".ckpt"} else "none"
