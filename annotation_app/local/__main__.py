"""`python -m annotation_app.local demo`: everything; `stack`: without the demo project; `servers`: no web or worker."""

import argparse
import errno
import os
import signal
import sys

from annotation_app.local.demo import run_demo, run_servers, run_without_demo
from annotation_app.local.given_settings import given_settings
from annotation_app.local.installation import BASE_DIR, LocalInstallation
from annotation_app.local.supervisor import Supervisor, stopping_cleanly
from labeling.grading.parent_death import die_with_parent

RUNS = {"demo": run_demo, "stack": run_without_demo, "servers": run_servers}


def main() -> int:
    """Return the exit status: 0 after an orderly stop, 1 with a message when something could not start."""
    parser = argparse.ArgumentParser(prog="python -m annotation_app.local", description=__doc__)
    parser.add_argument("what", choices=RUNS)
    parser.add_argument("--state", default="demo", help="folder under var/ that holds it all")
    parser.add_argument("--port", type=int, default=8000, help="web port to try first")
    parser.add_argument(
        "--no-models", action="store_true", help="without PRM worker, generator and their models: less memory and disk"
    )
    parser.add_argument("--with-parent", action="store_true", help="stop when the process that started us ends")
    options = parser.parse_args()
    if options.with_parent:
        die_with_parent(os.getppid(), signal.SIGTERM)
    supervisor = Supervisor()
    with stopping_cleanly(supervisor):
        try:
            folder = BASE_DIR / "var" / options.state
            installation = LocalInstallation(folder, options.port, with_models=not options.no_models)
            installation.more_settings = given_settings(os.environ)
            if given := ", ".join(sorted(installation.more_settings)):
                print(f"From the environment: {given}.", flush=True)
            RUNS[options.what](installation, supervisor)
        except RuntimeError as fault:
            print(fault, file=sys.stderr)
            return 1
        except OSError as fault:
            if fault.errno != errno.ENOSPC:
                raise
            print(f"The disk of var/{options.state} is full. Free some space, then start again.", file=sys.stderr)
            return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
