"""The models that a PRM can be trained from, as named in TRAINING_BASES. Only the operator names them."""

from pathlib import PurePosixPath
from typing import Any

from django.core.exceptions import ImproperlyConfigured

from annotation_app.named_settings import read_named


def read_bases(text: str) -> dict[str, str]:
    """Return the folders under MODELS_DIR by name. Raises ImproperlyConfigured with what to write instead."""
    return read_named("TRAINING_BASES", text, '{"SmolLM2-135M": "smollm2-135m"}', _folder)


def _folder(name: str, folder: Any) -> str:
    inside = isinstance(folder, str) and folder and not PurePosixPath(folder).is_absolute()
    if not inside or ".." in PurePosixPath(folder).parts:
        raise ImproperlyConfigured(f"TRAINING_BASES: {name} needs a folder, relative to MODELS_DIR and inside it.")
    return str(folder)
