"""One version's installation for `bench.against_version`, which copies this file into the version's own tree.

Reads orders from stdin and writes the answers to the pipe with the given file descriptor, one JSON line each. Uses only
what every version since 0.1.0 has.
"""

import json
import os
import resource
import sys
from collections.abc import Sequence
from typing import Any

from bench.installation import Installation, fresh_installation


def follow(installation: Installation, module: str, arguments: list[str], env: dict[str, str]) -> dict[str, Any]:
    """Run a module; return its output, and the CPU seconds of web, Postgres and the module's own process."""
    before, ours = installation.cpu_seconds(), children_seconds()
    found = installation.run(module, *arguments, **env)
    spent = {name: now - before[name] for name, now in installation.cpu_seconds().items()}
    return {"found": found, "cpu": {**spent, "program": children_seconds() - ours}}


def children_seconds() -> float:
    """Return the user and system seconds of our processes that have ended."""
    spent = resource.getrusage(resource.RUSAGE_CHILDREN)
    return spent.ru_utime + spent.ru_stime


def main(arguments: Sequence[str]) -> int:
    """Answer orders on file descriptor FD; the first answer says where the installation is."""
    with os.fdopen(int(arguments[0]), "w") as answers, fresh_installation() as installation:
        answers.write(json.dumps({"port": installation.local.web_port}) + "\n")
        answers.flush()
        for line in sys.stdin:
            answers.write(json.dumps(follow(installation, **json.loads(line))) + "\n")
            answers.flush()
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
