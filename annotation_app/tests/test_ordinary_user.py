"""`make demo` by a user who is not root, in a checkout whose folder has a space in its name."""

import json
import os
import pwd
import shlex
import shutil
import signal
import subprocess
import sys
import uuid
from collections.abc import Iterator
from pathlib import Path

import pytest

from annotation_app.local.process import Account, can_reach, free_port
from annotation_app.tests.running_installation import BASE_DIR, Person, installation_folder, processes_of, wait_for

pytestmark = [
    pytest.mark.slow,
    pytest.mark.timeout(900),  # a first start from nothing, which takes time on a loaded machine
]
# Run by root in a separate file tree: the checkout under another name with the user's own `var`, and Python where the
# user may read it (the folder above it, such as /root, may be closed).
TREE = """
set -e
mount --bind {base} {checkout}
mount --bind {var} {checkout}/var
{open_python}
cd {checkout}
exec setpriv --reuid={uid} --regid={gid} --clear-groups --inh-caps=-all --no-new-privs \
  env HOME={checkout}/var PYTHONDONTWRITEBYTECODE=1 {python} -m annotation_app.local demo --no-models --port {port}
"""
OPEN_PYTHON = """
mkdir {kept} && mount --bind {prefix} {kept}
mount -t tmpfs -o mode=755 tmpfs {closed}
mkdir -p {prefix} && mount --move {kept} {prefix}
"""


@pytest.fixture
def nobody() -> Account:
    """An ordinary user; only root can become one."""
    if os.geteuid() != 0:
        pytest.skip("not root: the other tests of the launcher run as an ordinary user already")
    if not all(map(shutil.which, ("unshare", "setpriv", "mount"))):
        pytest.skip("util-linux (unshare, setpriv, mount) is not installed here")
    if subprocess.run(["unshare", "--mount", "true"], check=False, capture_output=True).returncode:
        pytest.skip("a file tree of its own cannot be made here (unshare --mount is refused)")
    entry = pwd.getpwnam("nobody")
    return Account("nobody", entry.pw_uid, entry.pw_gid)


@pytest.fixture
def folder(nobody: Account) -> Iterator[Path]:
    """The path of the user's checkout."""
    with installation_folder() as found:
        found.chmod(0o755)
        yield found


def script(folder: Path, account: Account, port: int) -> str:
    """Return the commands that root runs before becoming the user, and the user's own."""
    checkout, var, prefix = folder / "my own checkout", folder / "var", Path(sys.base_prefix)
    for made in (checkout, var):
        made.mkdir()
    os.chown(var, account.uid, account.gid)
    closed = [path for path in reversed([prefix, *prefix.parents]) if not can_reach(path, account)]
    words = {"base": BASE_DIR, "checkout": checkout, "var": var, "prefix": prefix, "kept": folder / "python"}
    words |= {"closed": closed[0] if closed else prefix, "python": BASE_DIR / ".venv" / "bin" / "python"}
    quoted = {name: shlex.quote(str(path)) for name, path in words.items()}
    quoted["python"] = shlex.quote(sys.executable)
    open_python = OPEN_PYTHON.format(**quoted) if closed else ""
    return TREE.format(**quoted, open_python=open_python, uid=account.uid, gid=account.gid, port=port)


def test_an_ordinary_user_runs_the_demo_in_a_checkout_with_a_space_in_its_name_and_labels(
    nobody: Account, folder: Path
) -> None:
    log = folder / "launcher.log"
    command = ["unshare", "--mount", "--propagation", "private", "sh", "-c", script(folder, nobody, free_port(0))]
    with log.open("w") as output:
        launcher = subprocess.Popen(command, stdout=output, stderr=output)
    wait_for("the demo to be up", lambda: "Ctrl-C" in log.read_text() or launcher.poll() is not None, seconds=800)
    said = log.read_text()
    assert "Ctrl-C" in said, said
    state = folder / "var" / "demo"
    assert f"Logins, logs and data are kept in {folder}/my own checkout/var/demo" in said
    owners = {os.stat(f"/proc/{pid}").st_uid for pid in processes_of(folder)}
    assert owners == {nobody.uid}, "somebody's demo runs nothing as root"
    assert {path.stat().st_uid for path in state.rglob("*")} == {nobody.uid}

    label_one(said.split("is up:")[1].split()[0].rstrip("/"), state)
    launcher.send_signal(signal.SIGINT)
    assert launcher.wait(60) == 0
    assert processes_of(folder) == {}


def label_one(url: str, state: Path) -> None:
    """Log in as a labeler from the greeting, claim, and submit."""
    login = next(one for one in json.loads((state / "logins.json").read_text()) if one["role"] == "annotator")
    labeler = Person(url)
    labeler.call("GET", "/api/session")
    labeler.call("POST", "/api/session/login", {"username": login["username"], "password": login["password"]})
    [project, *_] = labeler.call("GET", "/api/projects")["results"]
    label = labeler.call("POST", f"/api/projects/{project['slug']}/labels/claim", {})["label"]
    ratings = [1] * (len(label["steps"]) - 1)
    body = {"idempotency_key": str(uuid.uuid4()), "finish_reason": "found_error", "ratings": [*ratings, -1]}
    assert labeler.call("POST", f"/api/labels/{label['id']}/submit", body)["label"]["status"] == "submitted"
