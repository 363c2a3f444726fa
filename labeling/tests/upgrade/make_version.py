r"""Makes `v0_1_0.sql.gz` and `v0_1_0_answers.json.gz`: a database of version 0.1.0 and what it answered.

They are made once, by the code of that version, and kept. To make them again, check out the tag beside this tree, with
this folder as it was when it came:

    git worktree add /tmp/stepmark-0.1.0 v0.1.0 && cd /tmp/stepmark-0.1.0
    git checkout $(git log --all --diff-filter=A --format=%H -- labeling/tests/upgrade/make_v0_1_0.py) -- \
        labeling/tests/upgrade
    make .venv/.installed-worker
    .venv/bin/python -m labeling.tests.upgrade.make_v0_1_0 FOLDER

and copy the two files from FOLDER to `labeling/tests/upgrade/`. It takes a minute. Everything goes through HTTP, the
commands and the workers' tasks of the version; nothing is written into a table by hand.
"""

import gzip
import hashlib
import json
import os
import sys
from datetime import UTC, datetime
from pathlib import Path
from tempfile import TemporaryDirectory

import django
from django.core.management import call_command
from django.utils import timezone

import annotation_app.local.pytest_servers  # noqa: F401  (starts Postgres and Valkey, and says where they are)
from labeling.tests.upgrade.clock import Clock

BEGIN = datetime(2026, 5, 4, 18, 0, tzinfo=UTC)
BASES = {"Tiny": "demo-random"}


def main(out: Path) -> None:
    """Make both files in the folder `out`."""
    out.mkdir(parents=True, exist_ok=True)
    with TemporaryDirectory() as scratch:
        clock = Clock(BEGIN)
        start_django(clock, Path(scratch))
        make_files(clock, Path(scratch), out)


def start_django(clock: Clock, scratch: Path) -> None:
    """Before any model is read: the defaults of their columns keep the function that tells the time."""
    os.environ |= {"MODELS_DIR": str(scratch), "TRAINING_BASES": json.dumps(BASES), "WEBHOOK_HOSTS": "hooks.invalid"}
    os.environ |= {"DJANGO_SETTINGS_MODULE": "annotation_app.settings", "ALLOWED_HOSTS": "testserver"}
    timezone.now = clock.now
    django.setup()


def make_files(clock: Clock, scratch: Path, out: Path) -> None:
    """The world, its dump, and the answers of a second database that was loaded from the dump."""
    from labeling.tests.upgrade import installation  # noqa: PLC0415  (models, which need Django)
    from labeling.tests.upgrade.replay import answers_to  # noqa: PLC0415
    from labeling.tests.upgrade.v0_1_0.questions import questions_about  # noqa: PLC0415
    from labeling.tests.upgrade.v0_1_0.world import make_world  # noqa: PLC0415

    call_command("migrate", verbosity=0)
    clock.install()
    site = make_world(clock, scratch)
    dump = out / "v0_1_0.sql.gz"
    dump.write_bytes(gzip.compress(installation.dumped("stepmark").encode(), mtime=0))
    questions = questions_about(site)
    installation.load(dump, "loaded")
    installation.connect_to("loaded")
    clock.install()
    digest = hashlib.sha256(dump.read_bytes()).hexdigest()
    record = {"asked_at": clock.at.isoformat(), "dump": digest, "answers": list(answers_to(questions))}
    text = json.dumps(record, indent=1, sort_keys=True, ensure_ascii=False)
    (out / "v0_1_0_answers.json.gz").write_bytes(gzip.compress(text.encode(), mtime=0))
    print(f"{len(record['answers'])} answers")


if __name__ == "__main__":
    main(Path(sys.argv[1]))
