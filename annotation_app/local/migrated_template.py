"""Migrates the tests' database, or restores what an earlier run on this machine made from the same migrations.

Migrating takes twenty seconds of processor time before the first test, putting back one. What is kept lies under
`var/test-template/`, by a hash of all that migrating reads. `python -m annotation_app.local.migrated_template`; on a
machine that begins anew each time (CI in its environment) nothing is kept.
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
    """Of what the migrated database depends on."""
    found = hashlib.sha256(sys.version.encode())
    for path in sorted(path for pattern in READ for path in BASE_DIR.glob(pattern) if path.is_file()):
        found.update(f"{path.relative_to(BASE_DIR)} {path.stat().st_size}\n".encode() + path.read_bytes())
    return found.hexdigest()[:24]


def main() -> int:
    """Have the database of DATABASE_URL migrated. Returns the exit code of what failed, or 0."""
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
    # The checks load the whole API, as much work again as Django's start; installations that tests start make them.
    migrate = [sys.executable, "manage.py", "migrate", "--verbosity", "0", "--skip-checks"]
    code = subprocess.run(migrate, cwd=BASE_DIR, check=False).returncode
    if code == 0 and not os.environ.get("CI"):
        keep(kept, [binaries / "pg_dump", "--format", "custom", "--compress", "0", "--dbname", url, "--file"])
    return code


def keep(kept: Path, dump: list[str | Path]) -> None:
    """Write the file whole or not at all, and let the oldest go."""
    kept.parent.mkdir(parents=True, exist_ok=True)
    half = kept.with_suffix(f".{os.getpid()}")
    if subprocess.run([*dump, half], check=False).returncode == 0:
        half.replace(kept)
    half.unlink(missing_ok=True)
    for old in sorted(kept.parent.glob("*.dump"), key=lambda path: -path.stat().st_mtime)[MOST_KEPT:]:
        old.unlink(missing_ok=True)


if __name__ == "__main__":
    sys.exit(main())
