"""Migrates the tests' database, or restores what an earlier run on this machine made from the same migrations.

Migrating takes twenty seconds of processor time before the first test; restoring takes one. Dumps are kept under
`var/test-template/`, named by a hash of everything that migrating reads. Run it as
`python -m annotation_app.local.migrated_template`. If the environment sets CI, nothing is kept: such a machine
starts empty each time.
"""

import hashlib
import os
import subprocess
import sys
from pathlib import Path

from annotation_app.local.postgres import installed_binaries

BASE_DIR = Path(__file__).resolve().parents[2]
KEPT = BASE_DIR / "var" / "test-template"
READ = (
    "labeling/migrations/*",
    "labeling/models/*.py",
    "labeling/management/commands/migrate.py",
    "annotation_app/postgres/*.py",
    "annotation_app/settings.py",
    "requirements/*.txt",
)
MOST_KEPT = 3


def fingerprint() -> str:
    """Return a hash of everything that the migrated database depends on."""
    found = hashlib.sha256(sys.version.encode())
    for path in sorted(path for pattern in READ for path in BASE_DIR.glob(pattern) if path.is_file()):
        found.update(f"{path.relative_to(BASE_DIR)} {path.stat().st_size}\n".encode() + path.read_bytes())
    return found.hexdigest()[:24]


def main() -> int:
    """Migrate or restore the database of DATABASE_URL. Return 0, or the exit code of what failed."""
    kept, url = KEPT / f"{fingerprint()}.dump", os.environ["DATABASE_URL"]
    binaries = installed_binaries() / "bin"
    if kept.is_file():
        put_back: list[str | Path] = [
            binaries / "pg_restore",
            "--exit-on-error",
            "--single-transaction",
            "--dbname",
            url,
            kept,
        ]
        if subprocess.run(put_back, check=False).returncode == 0:
            return 0
    # The checks load the whole API, which doubles the work of Django's start. Installations that tests start run them.
    migrate = [sys.executable, "manage.py", "migrate", "--verbosity", "0", "--skip-checks"]
    code = subprocess.run(migrate, cwd=BASE_DIR, check=False).returncode
    if code == 0 and not os.environ.get("CI"):
        keep(kept, [binaries / "pg_dump", "--format", "custom", "--compress", "0", "--dbname", url, "--file"])
    return code


def keep(kept: Path, dump: list[str | Path]) -> None:
    """Write the dump whole or not at all, and delete the oldest ones."""
    kept.parent.mkdir(parents=True, exist_ok=True)
    half = kept.with_suffix(f".{os.getpid()}")
    if subprocess.run([*dump, half], check=False).returncode == 0:
        half.replace(kept)
    half.unlink(missing_ok=True)
    for old in sorted(kept.parent.glob("*.dump"), key=lambda path: -path.stat().st_mtime)[MOST_KEPT:]:
        old.unlink(missing_ok=True)


if __name__ == "__main__":
    sys.exit(main())
