"""Two web machines, three worker machines and a hot standby with clocks a minute off; everything is killed."""

import os
import shlex
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from pathlib import Path
from typing import Any
from urllib.parse import quote, urlsplit

import pytest

from annotation_app.local.process import free_port, tail
from annotation_app.local.supervisor import Program, inherited_environment
from annotation_app.tests.hot_standby import make_standby
from annotation_app.tests.running_installation import (
    BASE_DIR,
    Person,
    RunningInstallation,
    installation_folder,
    wait_for,
)
from annotation_app.tests.test_kill import assert_kept_once, holds, label_all, open_project

CLOCK = Path(__file__).with_name("other_clock.c")
COMPILER = shutil.which("cc")
pytestmark = [
    pytest.mark.slow,
    pytest.mark.timeout(600),
    pytest.mark.skipif(COMPILER is None, reason="Other clocks need a C compiler."),
]
TASKS = 60
EXPORTS = 4
WORKER = shlex.split("-m worker --queues cpu --concurrency 1 --loglevel INFO")


def compiled(folder: Path) -> Path:
    """The shifted clock, ready to be preloaded."""
    library = folder / "other_clock.so"
    if not library.exists():
        assert COMPILER
        subprocess.run([COMPILER, "-shared", "-fPIC", "-O1", "-o", str(library), str(CLOCK)], check=True)
    return library


class Machine:
    """An extra machine next to the installation's own: a program of ours whose clock is ahead by this many seconds."""

    def __init__(
        self, installation: RunningInstallation, name: str, seconds: int, more: dict[str, str], *command: str
    ) -> None:
        clock = {"LD_PRELOAD": str(compiled(installation.folder)), "CLOCK_OFF_BY": str(seconds)}
        env = {**inherited_environment(), **installation.env, **more, **clock, "PYTHONUNBUFFERED": "1"}
        env.pop("OWNER_DATABASE_URL")
        self.program = Program(
            name, [sys.executable, *command], BASE_DIR, env, installation.folder / "logs" / f"{name}.log"
        )
        self.program.start()

    def kill(self) -> None:
        """SIGKILL all its processes at once, as in a power failure, and start it again."""
        process = self.program.process
        assert process is not None
        os.killpg(process.pid, signal.SIGKILL)
        process.wait(10)
        self.program.start()

    def seconds_off(self) -> float:
        """Return how far its clock is ahead of this process's."""
        ask = [sys.executable, "-c", "import time; print(time.time())"]
        said = subprocess.run(ask, env=dict(self.program.env), stdout=subprocess.PIPE, text=True, check=True).stdout
        return float(said) - time.time()

    def said(self) -> str:
        return self.program.log.read_text(errors="replace")


class Site:
    """All machines; the installation's own web and worker (which is the clock, too) have the true time."""

    def __init__(self, installation: RunningInstallation, folder: Path) -> None:
        self.installation = installation
        self.standby = make_standby(folder, installation.env["OWNER_DATABASE_URL"])
        self.standby.start()
        app = urlsplit(installation.env["DATABASE_URL"])
        address = f"postgres://{app.username}:{app.password}@/{app.path[1:]}?host={quote(str(self.standby.sockets))}"
        more, port = {"REPLICA_URL": address}, free_port(0)
        web = ["-m", "annotation_app.server", "--host", "127.0.0.1", "--port", str(port), "--respawn-interval", "0.2"]
        self.web = Machine(installation, "web-behind", -60, more, *web)
        self.workers = [
            Machine(installation, f"worker-{name}", seconds, more, *WORKER, "--hostname", f"cpu@{name}")
            for name, seconds in (("ahead", 60), ("behind", -60))
        ]
        self.url = f"http://127.0.0.1:{port}"

    def kill_by_turns(self, acknowledged: dict[int, list[int]]) -> None:
        """Kill machines spread over the work: the next one once enough was submitted since the last. Runs in the main
        thread, because what a thread started dies with it.
        """
        deaths: list[Any] = [self.workers[0].kill, self.web.kill, self.kill_standby, self.workers[1].kill]
        deaths += [lambda: self.installation.kill("annotation_app.server", child=True), self.web.kill]
        for number, die in enumerate(deaths):
            due = TASKS * (number + 1) // (len(deaths) + 1)
            wait_for(f"{due} submissions", partial(holds, acknowledged, due), seconds=300)
            die()

    def kill_standby(self) -> None:
        """It stays away."""
        process = self.standby.process
        assert process is not None
        os.kill(process.pid, signal.SIGKILL)

    def stop(self) -> None:
        for machine in (self.web, *self.workers):
            machine.program.stop()
        self.standby.stop()


@pytest.fixture(scope="module")
def site(django_db_setup: None) -> Iterator[Site]:
    with installation_folder() as folder, installation_folder() as other:
        installation = RunningInstallation(folder)
        installation.migrate()
        installation.start()
        installation.create_superuser("ada")
        site = Site(installation, other)
        yield site
        site.stop()
        installation.stop()
        for log in sorted((folder / "logs").glob("*.log")):  # shown by pytest when a test failed
            print(f"--- {log.name}\n{tail(log, 40)}")


def hire(admin: Person, url: str, username: str) -> Person:
    """Create an annotator with an invitation link, at the web machine of that address."""
    invitation = admin.call("POST", "/api/projects/clocks/invitations", {"role": "annotator"}, status=201)
    return Person(url).join("/api" + invitation["url_path"].replace("/invitation/", "/invitations/"), username)


def export_by_turns(admins: list[Person], count: int = EXPORTS) -> list[dict[str, Any]]:
    """Run jobs one after another, begun at either web machine, while people label."""
    made = []
    for number in range(count):
        admin = admins[number % len(admins)]
        begun = admin.call("POST", "/api/projects/clocks/exports", {"format": "neutral"}, status=201)
        found = wait_for("the export", partial(ended, admin, begun["id"]), seconds=240)
        made.append(found)
    return made


def ended(admin: Person, export: int) -> dict[str, Any] | None:
    job: dict[str, Any] = admin.call("GET", f"/api/exports/{export}")
    return None if job["status"] in ("queued", "running") else job


def test_no_label_is_lost_or_counted_twice_and_no_lease_is_taken_from_the_living(site: Site) -> None:
    installation = site.installation
    assert [round(machine.seconds_off() / 60) for machine in (site.web, *site.workers)] == [-1, 1, -1]
    wait_for("the machine behind", lambda: Person(site.url)._try("GET", "/api/session", None, {}))
    admin, elsewhere = Person(installation.url).log_in("ada"), Person(site.url).log_in("ada")
    open_project(admin, "clocks", TASKS)
    people = [hire(admin, url, f"labeler{number}") for number, url in enumerate([installation.url, site.url] * 2)]
    acknowledged: dict[int, list[int]] = {}
    with ThreadPoolExecutor(len(people) + 1) as threads:
        exports = threads.submit(export_by_turns, [admin, elsewhere])
        labelers = [threads.submit(label_all, person, "clocks", acknowledged) for person in people]
        site.kill_by_turns(acknowledged)
        for labeler in labelers:
            labeler.result(300)
        made = exports.result(300)
    assert sum(person.sent_again for person in people) > 0, "nobody noticed"
    assert_kept_once(installation, acknowledged, TASKS)
    assert installation.rows("SELECT count(*) FROM labeling_label WHERE status = 'expired'") == [(0,)]
    assert [export["status"] for export in made] == ["succeeded"] * EXPORTS
    [last] = export_by_turns([elsewhere], 1)
    assert last["rows"] == TASKS
    assert elsewhere.call("GET", "/api/projects/clocks/overview")["progress"]["submitted"] == TASKS
    assert all_workers_worked(site)


def all_workers_worked(site: Site) -> bool:
    """Each worker does what the clock requests, including the one whose clock is a minute ahead."""
    for machine in site.workers:
        begin = len(machine.said())
        wait_for(f"{machine.program.name} to sweep", lambda: "succeeded" in machine.said()[begin:], seconds=120)  # noqa: B023
    return "revoked" not in "".join(machine.said() for machine in site.workers).lower()
