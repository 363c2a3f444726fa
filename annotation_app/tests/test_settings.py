"""Production refuses to start with settings that would leave it open; every setting is documented."""

import re
import subprocess
import sys
from pathlib import Path

import pytest

BASE_DIR = Path(__file__).resolve().parent.parent.parent
STRONG = "kD8-wQ2_zLr0vXn5sTb7yHc3mJf9gPa1eUo6iRq4xWt"
SAFE = {
    "ENV_FILE": "/dev/null",
    "STEPMARK_ENV": "production",
    "SECRET_KEY": STRONG,
    "ALLOWED_HOSTS": "label.example.org",
    "DATABASE_URL": "postgres://stepmark@/stepmark?host=/nonexistent",
    "REDIS_URL": "redis://127.0.0.1:1/0",
}


def start_with(data_dir: Path, **changes: str | None) -> subprocess.CompletedProcess[str]:
    """Load the settings in a separate process, as a server does."""
    env = {**SAFE, "DATA_DIR": str(data_dir), **changes}
    return subprocess.run(
        [sys.executable, "-c", "import annotation_app.settings as s; print('started', s.HTTPS_ONLY, s.DEBUG)"],
        env={name: value for name, value in env.items() if value is not None},
        cwd=BASE_DIR,
        capture_output=True,
        text=True,
        check=False,
    )


def test_production_starts_on_safe_settings_with_https_only_and_without_debug(tmp_path: Path) -> None:
    assert start_with(tmp_path).stdout == "started True False\n"


@pytest.mark.parametrize(
    ("change", "sentence"),
    [
        ({"DEBUG": "true"}, "DEBUG shows secrets"),
        ({"SECRET_KEY": None}, "SECRET_KEY is missing"),
        ({"SECRET_KEY": "short"}, "SECRET_KEY is missing, short"),
        ({"SECRET_KEY": "a" * 60}, "SECRET_KEY is missing, short"),
        ({"SECRET_KEY": "django-insecure-" + STRONG}, "known default"),
        ({"SECRET_KEY": "change-me-" + STRONG}, "known default"),
        ({"ALLOWED_HOSTS": "*"}, "without wildcards"),
        ({"ALLOWED_HOSTS": "label.example.org,*.example.org"}, "without wildcards"),
        ({"ALLOWED_HOSTS": ".example.org"}, "without wildcards"),
        ({"ALLOWED_HOSTS": None}, "ALLOWED_HOSTS must name"),
        ({"STEPMARK_ENV": None, "DEBUG": "true"}, "DEBUG shows secrets"),
        ({"BEHIND_TLS_PROXY": "true", "TRUSTED_PROXIES": "0"}, "TRUSTED_PROXIES must be the number"),
    ],
)
def test_production_refuses_to_start_on_unsafe_settings_and_says_the_way_out(
    tmp_path: Path, change: dict[str, str | None], sentence: str
) -> None:
    started = start_with(tmp_path, **change)
    assert started.returncode != 0
    assert "ImproperlyConfigured" in started.stderr
    assert sentence in started.stderr


def test_development_allows_debug_but_no_weak_secret(tmp_path: Path) -> None:
    assert start_with(tmp_path, STEPMARK_ENV="development", DEBUG="true").returncode == 0
    assert start_with(tmp_path, STEPMARK_ENV="development", SECRET_KEY="weak").returncode != 0


@pytest.mark.parametrize("command", [["manage.py", "doctor"], ["-m", "annotation_app.server"]])
def test_whoever_starts_us_on_a_setting_that_will_not_do_is_told_in_a_sentence(command: list[str]) -> None:
    done = subprocess.run(
        [sys.executable, *command],
        env={**SAFE, "ALLOWED_HOSTS": "*"},
        cwd=BASE_DIR,
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 1
    assert done.stderr.count("\n") == 1
    assert "without wildcards" in done.stderr


def test_a_command_without_its_database_says_so_in_a_sentence(tmp_path: Path) -> None:
    for words in (["migrate"], ["backup", "--to", str(tmp_path)]):
        done = subprocess.run(
            [sys.executable, "manage.py", *words], env=SAFE, cwd=BASE_DIR, capture_output=True, text=True, check=False
        )
        assert done.returncode == 1
        assert "The database does not answer" in done.stderr
        assert "Traceback" not in done.stderr


def test_the_example_names_exactly_the_settings_that_are_read() -> None:
    read = set(re.findall(r'env\.\w+\(\s*"(\w+)"', (BASE_DIR / "annotation_app" / "settings.py").read_text()))
    written = set(re.findall(r"^(\w+)=", (BASE_DIR / ".env.example").read_text(), flags=re.MULTILINE))
    assert written == read


def test_the_example_starts_once_the_secret_key_is_filled_in(tmp_path: Path) -> None:
    example = (BASE_DIR / ".env.example").read_text()
    (tmp_path / ".env").write_text(example.replace("SECRET_KEY=\n", f"SECRET_KEY={STRONG}\n"))
    left: dict[str, str | None] = dict.fromkeys(SAFE) | {"ENV_FILE": str(tmp_path / ".env")}
    assert start_with(tmp_path, **left).stdout == "started True False\n"


def test_an_empty_name_is_as_good_as_none(tmp_path: Path) -> None:
    names = re.findall(r"^(\w+)=", (BASE_DIR / ".env.example").read_text(), flags=re.MULTILINE)
    empty: dict[str, str | None] = {name: "" for name in names if name not in SAFE}
    assert start_with(tmp_path, **empty | {"DATA_DIR": str(tmp_path)}).stdout == "started True False\n"


def test_the_operations_page_explains_every_setting() -> None:
    page = (BASE_DIR / "docs" / "operations.md").read_text()
    names = re.findall(r"^(\w+)=", (BASE_DIR / ".env.example").read_text(), flags=re.MULTILINE)
    assert [name for name in names if f"`{name}`" not in page] == []
