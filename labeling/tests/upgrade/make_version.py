"""Makes `v0_2_0.sql.gz` and `v0_2_0_answers.json.gz`, the database of version 0.2.0 and its answers; or of another one.

    .venv/bin/python -m labeling.tests.upgrade.make_version e9f9b55 v0_2_0

takes that version's code out of git into a folder of its own, copies this folder's world for it (`v0_2_0/`) over it,
and lets that code do the rest, in today's environment. It takes a minute. The files are made once and kept. Everything
uses HTTP, the commands and the workers' tasks of the version; nothing is written into a table by hand.

A new version has a folder with `world.py` (what people did) and `questions.py` (what was asked), and its line in
`versions.py`, which names the intended differences since then.
"""

import gzip
import hashlib
import json
import os
import shutil
import subprocess
import sys
from datetime import UTC, datetime
from importlib import import_module
from pathlib import Path
from tempfile import TemporaryDirectory

import django
from django.core.management import call_command
from django.utils import timezone

FOLDER = Path(__file__).resolve().parent
ROOT = FOLDER.parents[2]
LAID_OVER = ("clock.py", "installation.py", "make_version.py", "replay.py", "v*_*_*/")
BEGIN = datetime(2026, 5, 4, 18, 0, tzinfo=UTC)
BASES = {"Tiny": "demo-random"}


def make_by_old_code(revision: str, version: str) -> None:
    """Make both files of a version with its own code, and copy them next to this script."""
    with TemporaryDirectory(prefix="stepmark-old-") as folder:
        old, out = Path(folder) / "tree", Path(folder) / "out"
        old.mkdir()
        archive = subprocess.run(["git", "archive", revision], cwd=ROOT, capture_output=True, check=True).stdout
        subprocess.run(["tar", "--extract", f"--directory={old}"], input=archive, check=True)
        there = old / FOLDER.relative_to(ROOT)
        there.mkdir(parents=True, exist_ok=True)
        (there / "__init__.py").touch()
        for path in (path for pattern in LAID_OVER for path in FOLDER.glob(pattern)):
            if path.is_dir():
                shutil.copytree(path, there / path.name, dirs_exist_ok=True)
            else:
                shutil.copy(path, there)
        command = [sys.executable, "-m", f"{__spec__.name}", "--here", version, str(out)]
        subprocess.run(command, cwd=old, check=True)
        for path in out.iterdir():
            shutil.copy(path, FOLDER)


def make_here(version: str, out: Path) -> None:
    """Make both files in the folder `out`, with the code of the tree that this runs in."""
    import annotation_app.local.pytest_servers  # noqa: F401, PLC0415  (starts Postgres and Valkey, and says where)
    from labeling.tests.upgrade.clock import Clock  # noqa: PLC0415

    out.mkdir(parents=True, exist_ok=True)
    with TemporaryDirectory() as scratch:
        clock = Clock(BEGIN)
        start_django(clock, Path(scratch))
        make_files(version, clock, Path(scratch), out)


def start_django(clock, scratch: Path) -> None:
    """Set up Django with our clock before any model is read: defaults of columns keep the time function of then."""
    os.environ |= {"MODELS_DIR": str(scratch), "TRAINING_BASES": json.dumps(BASES), "WEBHOOK_HOSTS": "hooks.invalid"}
    os.environ |= {"DJANGO_SETTINGS_MODULE": "annotation_app.settings", "ALLOWED_HOSTS": "testserver"}
    timezone.now = clock.now
    django.setup()


def make_files(version: str, clock, scratch: Path, out: Path) -> None:
    """Make the world, its dump, and the answers of a second database that was loaded from the dump."""
    from labeling.tests.upgrade import installation  # noqa: PLC0415  (models, which need Django)
    from labeling.tests.upgrade.replay import answers_to  # noqa: PLC0415

    world = import_module(f"labeling.tests.upgrade.{version}.world")
    questions = import_module(f"labeling.tests.upgrade.{version}.questions")
    call_command("migrate", verbosity=0)
    clock.install()
    site = world.make_world(clock, scratch)
    dump = out / f"{version}.sql.gz"
    dump.write_bytes(gzip.compress(installation.dumped("stepmark").encode(), mtime=0))
    asked = questions.questions_about(site)
    installation.load(dump, "loaded")
    installation.connect_to("loaded")
    clock.install()
    digest = hashlib.sha256(dump.read_bytes()).hexdigest()
    record = {"asked_at": clock.at.isoformat(), "dump": digest, "answers": list(answers_to(asked))}
    text = json.dumps(record, indent=1, sort_keys=True, ensure_ascii=False)
    (out / f"{version}_answers.json.gz").write_bytes(gzip.compress(text.encode(), mtime=0))
    print(f"{len(record['answers'])} answers")


if __name__ == "__main__":
    if sys.argv[1] == "--here":
        make_here(sys.argv[2], Path(sys.argv[3]))
    else:
        make_by_old_code(*sys.argv[1:])
