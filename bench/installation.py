"""The real servers for a measurement: what `make demo` starts, in its own folder, which is removed at the end."""

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

PORT = int(os.environ.get("BENCH_PORT", "8700"))  # concurrent measurements need one each
FOLDER = BASE_DIR / "var" / f"bench-{PORT}"


@dataclass
class Installation:
    """Postgres, Valkey, web, worker and beat with an empty database."""

    local: LocalInstallation
    web: Program

    def run(self, module: str, *arguments: str, **env: str) -> Any:
        """Run one of our modules in this installation's environment; return the JSON on the last line of its output.

        Raises RuntimeError with the end of its log.
        """
        program = self.local.program(module, "-m", module, *arguments)
        owner = {"DATABASE_URL": self.local.postgres.url}  # filling tables with millions of rows bypasses triggers
        program.env = {**program.env, **owner, "DJANGO_SETTINGS_MODULE": "annotation_app.settings", **env}
        program.log.unlink(missing_ok=True)
        program.run()
        return json.loads(program.log.read_text().splitlines()[-1])

    def connect(self) -> psycopg.Connection:
        """Open a separate connection to the database; each statement is its own transaction."""
        return psycopg.connect(self.local.postgres.url, autocommit=True)

    def cpu_seconds(self) -> dict[str, float]:
        """Return the CPU seconds that the web processes and all of Postgres have used so far."""
        processes = {"web": self.web.process, "postgres": self.local.postgres.process}
        return {name: tree_cpu_seconds(process.pid) for name, process in processes.items() if process is not None}


@contextmanager
def fresh_installation(
    prepare: Callable[[LocalInstallation, Supervisor], None] = lambda installation, supervisor: None,
) -> Iterator[Installation]:
    """Start an empty installation; stop and remove it at the end. Its logs are kept if the measurement fails. `prepare`
    runs before anything is started.
    """
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
    """Return the user and system seconds of a process, its descendants, and its children that have ended."""
    process = psutil.Process(pid)
    times = process.cpu_times()
    total = times.user + times.system + times.children_user + times.children_system
    for child in process.children(recursive=True):
        with suppress(psutil.NoSuchProcess):  # it has just ended, and its parent has its times
            spent = child.cpu_times()
            total += spent.user + spent.system
    return total
