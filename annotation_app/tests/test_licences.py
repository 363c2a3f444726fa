"""Everything shipped is listed with its licence."""

import subprocess
import sys
from pathlib import Path

BASE_DIR = Path(__file__).resolve().parent.parent.parent


def test_the_list_of_licences_is_that_of_what_is_installed() -> None:
    command = [sys.executable, BASE_DIR / "requirements" / "licences.py", "--check"]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr
