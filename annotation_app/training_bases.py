"""The models that a PRM can be trained from, as named in TRAINING_BASES. Only the operator names them."""

import json
from pathlib import PurePosixPath

from django.core.exceptions import ImproperlyConfigured

LONGEST_NAME = 100


def read_bases(text: str) -> dict[str, str]:
    """Folders under MODELS_DIR by name. Raises ImproperlyConfigured with what to write instead."""
    try:
        given = json.loads(text or "{}")
    except ValueError:
        given = None
    if not isinstance(given, dict):
        raise ImproperlyConfigured('TRAINING_BASES is one line of JSON: {"SmolLM2-135M": "smollm2-135m"}')
    for name, folder in given.items():
        inside = isinstance(folder, str) and folder and not PurePosixPath(folder).is_absolute()
        if not inside or ".." in PurePosixPath(folder).parts:
            raise ImproperlyConfigured(f"TRAINING_BASES: {name} needs a folder, relative to MODELS_DIR and inside it.")
        if not name.strip() or len(name) > LONGEST_NAME:
            raise ImproperlyConfigured(f"TRAINING_BASES: a name has 1 to {LONGEST_NAME} characters.")
    return dict(sorted(given.items()))
