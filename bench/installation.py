"""The real servers for a measurement: what `make demo` starts, in a folder of its own that is removed afterwards."""

import json
import os
import shutil
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from typing import Any

import psutil
import psycopg

from annotation_app.local.demo import start_everything, wait_until_ready
from annotation_app.local.installation import BASE_DIR, LocalInstallation
from annotation_app.local.supervisor import Program, Supervisor, stopping_cleanly
from bench.progress import say
from labeling.configs.allowances import ALLOWANCES

PORT = int(os.environ.get("BENCH_PORT", "8700"))  # measurements side by side need one each
FOLDER = BASE_DIR / "var" / f"bench-{PORT}"


@dataclass
class Installation:
    """Postgres, Valkey, web, worker and beat over an empty database."""

    local: LocalInstallation
    web: Program

    def run(self, module: str, *arguments: str, **env: str) -> Any:
        """Run one of our modules in this installation's environment; the JSON on the last line of its output.

        Raises RuntimeError with the end of its log.
        """
        program = self.local.program(module, "-m", module, *arguments)
        owner = {"DATABASE_URL": self.local.postgres.url}  # filling tables by the million goes past triggers
        program.env = {**program.env, **owner, "DJANGO_SETTINGS_MODULE": "annotation_app.settings", **env}
        program.log.unlink(missing_ok=True)
        program.run()
        return json.loads(program.log.read_text().splitlines()[-1])

    def connect(self) -> psycopg.Connection:
        """A connection of our own to the database, each statement its own transaction."""
        return psycopg.connect(self.local.postgres.url, autocommit=True)

    def cpu_seconds(self) -> dict[str, float]:
        """What the web processes and all of Postgres have used so far."""
        processes = {"web": self.web.process, "postgres": self.local.postgres.process}
        return {name: tree_cpu_seconds(process.pid) for name, process in processes.items() if process is not None}


@contextmanager
def fresh_installation(
    prepare: Callable[[LocalInstallation, Supervisor], None] = lambda installation, supervisor: None,
) -> Iterator[Installation]:
    """An empty installation, ended and removed afterwards; its logs stay where the measurement failed. `prepare`: what
    there is to do before anything is started."""
    shutil.rmtree(FOLDER, ignore_errors=True)
    supervisor = Supervisor()
    with stopping_cleanly(supervisor):
        installation = LocalInstallation(FOLDER, PORT)
        installation.more_settings["ALLOWANCES"] = json.dumps(dict.fromkeys(ALLOWANCES, 0))  # people are slower
        shutil.rmtree(installation.postgres.folder, ignore_errors=True)
        prepare(installation, supervisor)
        web = start_everything(installation, supervisor)
        wait_until_ready(installation, web)
        yield Installation(installation, web)
        say("stopping the servers")
        supervisor.stop_all()
        shutil.rmtree(installation.postgres.folder, ignore_errors=True)
        shutil.rmtree(FOLDER, ignore_errors=True)


def tree_cpu_seconds(pid: int) -> float:
    """User and system seconds of a process, its children, and those of its children that have ended."""
    process = psutil.Process(pid)
    times = process.cpu_times()
    total = times.user + times.system + times.children_user + times.children_system
    for child in process.children(recursive=True):
        with suppress(psutil.NoSuchProcess):  # ended just now: its parent has its times
            spent = child.cpu_times()
            total += spent.user + spent.system
    return total
