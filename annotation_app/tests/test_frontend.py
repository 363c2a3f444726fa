"""The page is served for every address that it routes itself, with headers that keep third-party scripts out."""

import ast
import os
import subprocess
import sys
from pathlib import Path

import pytest

from annotation_app.local.demo import stale_page

BASE_DIR = Path(__file__).resolve().parent.parent.parent
PAGES = ("/login", "/projects/algebra/label", "/invitations/abc")
SCRIPT = "/assets/index-AbC123.js"
MISSING = ("/assets/gone-123.js", "/logo.png", "/api/nothing")
Answer = tuple[int, bytes, dict[str, str]]
ASK = """
import sys, django; django.setup()
from django.test import Client
client = Client(headers={"host": "localhost", "accept-encoding": "gzip, br"})
for path in sys.argv[1:]:
    answer = client.get(path)
    headers = {name.lower(): value for name, value in answer.headers.items()}
    print(repr((answer.status_code, b"".join(answer), headers)))
"""


@pytest.fixture(scope="module")
def built(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A build as written by vite, compressed as by `make frontend`."""
    folder = tmp_path_factory.mktemp("dist")
    (folder / "assets").mkdir()
    (folder / "index.html").write_text("<!doctype html><title>Stepmark</title>" + "<p>text</p>" * 50)
    (folder / "assets" / "index-AbC123.js").write_text("export const page = 1;\n" * 200)
    subprocess.run([sys.executable, "-m", "whitenoise.compress", "--quiet", str(folder)], check=True)
    return folder


def get(folder: Path, *paths: str) -> dict[str, Answer]:
    """Return the responses of a server that serves `folder` as its page, at these paths."""
    env = {**os.environ, "FRONTEND_DIR": str(folder), "DJANGO_SETTINGS_MODULE": "annotation_app.settings"}
    command = [sys.executable, "-c", ASK, *paths]
    done = subprocess.run(command, env=env, cwd=BASE_DIR, capture_output=True, text=True, check=True)
    return dict(zip(paths, map(ast.literal_eval, done.stdout.splitlines()), strict=True))


@pytest.fixture(scope="module")
def answers(built: Path) -> dict[str, Answer]:
    """The responses of one server to all requests of this file."""
    return get(built, "/", *PAGES, SCRIPT, *MISSING)


def test_every_address_of_the_page_answers_with_a_fresh_index(answers: dict[str, Answer]) -> None:
    for status, body, headers in map(answers.__getitem__, PAGES):
        assert status == 200
        assert body.startswith(b"<!doctype html>")
        assert headers["cache-control"] == "no-cache"


def test_hashed_files_are_compressed_and_kept_for_ever(answers: dict[str, Answer]) -> None:
    status, body, headers = answers[SCRIPT]
    assert status == 200
    assert headers["content-encoding"] == "br"
    assert len(body) < 200
    assert "immutable" in headers["cache-control"]


def test_a_missing_file_and_an_unknown_api_address_are_no_page(answers: dict[str, Answer]) -> None:
    assert [answers[path][0] for path in MISSING] == [404, 404, 404]
    assert b'"code": "not_found"' in answers["/api/nothing"][1]


def test_every_answer_carries_the_headers_that_keep_strangers_out(answers: dict[str, Answer]) -> None:
    for path in ("/", "/login", SCRIPT, "/api/nothing"):
        headers = answers[path][2]
        policy = headers["content-security-policy"]
        assert "script-src 'self';" in policy
        assert "frame-ancestors 'none'" in policy
        assert headers["x-frame-options"] == "DENY"
        assert headers["x-content-type-options"] == "nosniff"
        assert headers["referrer-policy"] == "same-origin"


def test_without_a_build_the_page_says_how_to_make_one(tmp_path: Path) -> None:
    status, body, _ = get(tmp_path / "none", "/")["/"]
    assert status == 503
    assert b"make frontend" in body


def test_who_starts_it_without_make_is_told_that_the_page_is_older_than_its_sources(tmp_path: Path) -> None:
    frontend = tmp_path / "frontend"
    for name, at in (("dist/index.html", 200), ("src/app.tsx", 100), ("src/ui/words.test.ts", 300)):
        path = frontend / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text("")
        os.utime(path, (at, at))
    assert stale_page(frontend) == "", "tests are no part of the page"
    os.utime(frontend / "src" / "app.tsx", (201, 201))
    assert "older than frontend/src/app.tsx. Rebuild it with `make frontend`" in stale_page(frontend)
    (frontend / "dist" / "index.html").unlink()
    assert stale_page(frontend) == "", "the server itself says how a page is built where there is none"
