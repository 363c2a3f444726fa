"""The launcher of `make demo`: one supervisor owns every process, and nothing survives it."""

import json
import os
import re
import signal
import socket
import subprocess
import sys
from pathlib import Path
from urllib.parse import urlsplit

import httpx
import psycopg
import pytest

from annotation_app.local.given_settings import GIVEN, OWN
from annotation_app.tests.running_installation import (
    BASE_DIR,
    RunningInstallation,
    installation_folder,
    processes_of,
    wait_for,
)
from labeling.tests.jobs.small_disk import small_disk

__all__ = ["small_disk"]
pytestmark = pytest.mark.slow


def ready(installation: RunningInstallation) -> bool:
    """Return whether /readyz currently succeeds."""
    try:
        return httpx.get(f"{installation.url}/readyz").status_code == 200
    except httpx.TransportError:
        return False


def test_everything_starts_in_any_folder_keeps_its_secrets_and_ends_at_ctrl_c_with_the_data_kept() -> None:
    with installation_folder() as root:
        root.chmod(0o711)
        folder = root / ("long name-" * 9)  # too long for a Unix socket, and with spaces
        folder.mkdir()
        installation = RunningInstallation(folder)
        installation.start()
        assert httpx.get(f"{installation.url}/readyz").json() == {"status": "ready", "reasons": []}
        installation.create_superuser("ada")
        commands = " ".join(processes_of(folder).values())
        for word in (
            "annotation_app.server",
            "worker --queues cpu",
            "worker --queues gpu",
            "postgres -D",
            "valkey-server",
        ):
            assert word in commands
        clocks = [one for one in processes_of(folder).values() if "beat" in one or "--with-clock" in one]
        assert clocks
        assert all("worker --queues cpu" in one for one in clocks), "exactly one worker is the clock, too"
        assert installation.env["TRAINING_BASES"] == "{}"  # the demo's language model was not written here
        secret = installation.env["REDIS_URL"].split(":")[2].split("@")[0]
        assert secret not in commands
        logs = ("logs", "logs/web.log", "logs/migrate.log", "postgres/postgres.log", "valkey/valkey.log")
        for name in ("secrets.json", "env", "valkey/valkey.conf", *logs):
            assert (folder / name).stat().st_mode & 0o077 == 0, name
        sockets = Path(installation.env["DATABASE_URL"].split("host=")[1])
        assert not sockets.is_relative_to(folder)
        refuse_a_second_launcher(folder)
        serve_without_the_owners_password(installation)
        assert ready(installation)
        assert installation.stop() == 0
        assert processes_of(folder) == {}
        assert not sockets.exists()

        with socket.socket() as taken:
            start_again_on_a_busy_port(installation, taken)
        assert installation.rows("SELECT username FROM labeling_user") == [("ada",)]
        assert installation.stop() == 0


def serve_without_the_owners_password(installation: RunningInstallation) -> None:
    """The role that changes tables is not the one that serves people, whose processes lack its password."""
    password = urlsplit(installation.env["OWNER_DATABASE_URL"]).password
    assert password
    for pid in installation.pids("annotation_app.server") + installation.pids("worker --queues"):
        assert password.encode() not in Path(f"/proc/{pid}/environ").read_bytes()
    with pytest.raises(psycopg.errors.InsufficientPrivilege):
        installation.execute("ALTER TABLE labeling_auditevent DISABLE TRIGGER audit_is_append_only")


def start_again_on_a_busy_port(installation: RunningInstallation, taken: socket.socket) -> None:
    """If another program uses the port, the next free one is used and shown."""
    taken.bind(("127.0.0.1", installation.port))
    taken.listen()
    said = installation.start()
    assert f"Port {installation.port} is in use" in said
    assert f":{installation.port}" not in installation.url
    assert httpx.get(f"{installation.url}/readyz").status_code == 200


def refuse_a_second_launcher(folder: Path) -> None:
    """Two launchers in one folder would conflict."""
    command = [sys.executable, "-m", "annotation_app.local", "servers", "--state", str(folder)]
    second = subprocess.run(command, cwd=BASE_DIR, capture_output=True, text=True, check=False)
    assert second.returncode == 1
    assert "Another launcher is running on" in second.stderr


def test_whatever_is_killed_is_started_again_and_a_killed_launcher_leaves_nothing_behind() -> None:
    with installation_folder() as folder:
        installation = RunningInstallation(folder)
        installation.migrate()
        installation.start()
        for word in (
            "annotation_app.server",
            "worker --queues cpu",
            "worker --queues gpu",
            "valkey-server",
            "postgres -D",
        ):
            kill_and_wait(installation, word)
        wait_for("the site to be ready", lambda: ready(installation))
        assert len(processes_of(folder)) > 8
        before = ticks_of(installation)
        kill_and_wait(installation, "--with-clock")
        wait_for("the clock of the new worker", lambda: ticks_of(installation) > before)
        assert installation.launcher is not None
        installation.launcher.kill()
        installation.launcher.wait()
        wait_for("every process to end with its launcher", lambda: not processes_of(folder))


def ticks_of(installation: RunningInstallation) -> int:
    """Return how often the clock has struck."""
    return (installation.folder / "logs" / "worker.log").read_text().count("Sending due task spread gold")


def kill_and_wait(installation: RunningInstallation, word: str) -> None:
    """Wait until a new process of that name runs and all the old ones have ended."""
    before = set(installation.pids(word))
    installation.kill(word)
    wait_for(f"{word} to be started again", lambda: set(installation.pids(word)) - before)
    wait_for(f"the old {word} to be gone", lambda: not set(installation.pids(word)) & before)


def test_the_launcher_ends_with_the_process_that_started_it() -> None:
    with installation_folder() as folder:
        words = ["-m", "annotation_app.local", "servers", "--with-parent", "--state", str(folder)]
        script = f"import subprocess, sys; subprocess.run([sys.executable, *{words!r}])"
        parent = subprocess.Popen([sys.executable, "-c", script], cwd=BASE_DIR, stdout=subprocess.DEVNULL)
        wait_for("the servers", lambda: (folder / "env").exists())
        os.kill(parent.pid, signal.SIGKILL)
        parent.wait()
        wait_for("the launcher and its servers to end", lambda: not processes_of(folder))


def test_settings_of_the_caller_are_taken_over_but_for_those_that_the_launcher_decides() -> None:
    with installation_folder() as folder:
        named = {"UPLOAD_LIMIT_MB": "7", "SITE_URL": "https://label.example.org", "ALLOWED_HOSTS": "label.example.org"}
        secret = {"OIDC_PROVIDERS": json.dumps({"sso": {"secret_env": "SSO_SECRET"}}), "SSO_SECRET": "s3cret"}
        own = {"SECRET_KEY": "x" * 50, "DATA_DIR": "/elsewhere", "DATABASE_URL": "postgres://x@/y", "PORT": "1"}
        command = [sys.executable, "-m", "annotation_app.local", "servers", "--state", str(folder)]
        env = {**os.environ, **named, **secret, **own, "SOMETHING_ELSE": "1", "AWS_SECRET_ACCESS_KEY": "cloud"}
        with (folder / "launcher.log").open("w") as output:
            launcher = subprocess.Popen(command, cwd=BASE_DIR, env=env, stdout=output, stderr=output)
        installation = RunningInstallation(folder)
        wait_for("the servers", lambda: (folder / "env").exists())
        told = installation.env
        launcher.send_signal(signal.SIGINT)
        assert launcher.wait(60) == 0
    assert (told["UPLOAD_LIMIT_MB"], told["SITE_URL"]) == ("7", "https://label.example.org")
    assert told["ALLOWED_HOSTS"] == "localhost,127.0.0.1,label.example.org"
    assert told["SSO_SECRET"] == "s3cret", "a setting names the variable"
    assert not [name for name, value in own.items() if told.get(name) == value]
    assert not {"SOMETHING_ELSE", "AWS_SECRET_ACCESS_KEY"} & told.keys()


def test_every_documented_setting_is_taken_over_or_is_the_launchers_own() -> None:
    page = (BASE_DIR / "docs/operations.md").read_text().split("\n## Settings\n")[1].split("\n## ")[0]
    documented = {
        name for row in re.findall(r"^\| (`.*?) \|", page, re.MULTILINE) for name in re.findall(r"`(\w+)`", row)
    }
    assert documented == OWN | set(GIVEN)


def test_a_full_disk_is_told_before_anything_is_half_made(small_disk: Path) -> None:
    folder = small_disk / "demo"
    command = [sys.executable, "-m", "annotation_app.local", "demo", "--state", str(folder)]
    started = subprocess.run(command, cwd=BASE_DIR, capture_output=True, text=True, check=False)
    assert started.returncode == 1
    sentence = rf"{folder} has [34] MB free, but Stepmark needs 200 MB. Free some space, then start again."
    assert re.fullmatch(sentence, started.stderr.strip())
    assert [path.name for path in folder.iterdir()] == ["lock"]
