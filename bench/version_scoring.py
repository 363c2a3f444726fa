"""Scoring with a PRM in a separate process, for `bench.against_version`: `-m bench.version_scoring MODEL PROBLEMS`.

One thread, float32, loaded and warm; measures CPU seconds. Uses only what every version since 0.1.0 has.
"""

import json
import sys
import time
from collections.abc import Sequence
from pathlib import Path

import torch

from worker.prm.registry import load_scorer
from worker.prm.spec import parse_spec


def main(arguments: Sequence[str]) -> int:
    """Score PROBLEMS, a JSON file with an item [problem, [steps of a trace, …]] per problem."""
    model, problems = arguments
    torch.set_num_threads(1)
    scorer = load_scorer(parse_spec({"family": "step_classifier", "path": model, "dtype": "float32"}))
    work = json.loads(Path(problems).read_text())
    scorer.score("What is 1+1?", [["1+1 = 2.", "A: 2"]] * 2)
    began = time.process_time()
    scores = [score.steps for problem, traces in work for score in scorer.score(problem, traces)]
    spent = time.process_time() - began
    if not all(scores):
        raise RuntimeError("A trace was not scored.")
    print(json.dumps({"rows": len(scores), "cpu_seconds": spent}))
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
