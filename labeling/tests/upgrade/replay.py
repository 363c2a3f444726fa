"""Asks an installation questions over HTTP: the old version once, today's version in each test.

A question is {"by", "method", "path", "body"}. Or it is {"by", "path", "export"}: make an export of the project at
`path` as a person does, let a worker write it, and read back the file and its manifest. Or it is {"by", "path",
"format", "again"}: write the labels that an earlier export froze once more.
"""

import gzip
import json
from collections.abc import Callable, Iterable, Iterator
from io import StringIO
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from celery import current_app
from django.contrib.auth import get_user_model
from django.core.management import call_command

from labeling.tests.accounts import Browser

Json = Any
Question = dict[str, Any]
# Not from the database: the signed place in a list (only whether there is one), and an operator's settings.
VOLATILE: dict[str, Callable[[Json], Json]] = {"next": bool, "bases": lambda _: None, "hosts": lambda _: None}


def run_task(name: str, *args: Any) -> None:
    """Do what a worker does for a message."""
    current_app.loader.import_default_modules()
    current_app.tasks[name].apply(args, throw=True)


class Desk:
    """People at their browsers."""

    def __init__(self) -> None:
        self.browsers: dict[str, Browser] = {}

    def browser(self, username: str) -> Browser:
        """Return this person's browser, logged in."""
        if username not in self.browsers:
            self.browsers[username] = Browser(get_user_model().objects.get(username=username))
        return self.browsers[username]

    def answer(self, question: Question) -> Json:
        """Return the installation's answer to one question."""
        if "export" in question:
            return self._export(question)
        return self._export_again(question) if "again" in question else self._request(question)

    def _request(self, question: Question) -> Json:
        response = self.browser(question["by"]).send(question["method"], question["path"], question.get("body"))
        if response.status_code >= 400:  # the wording of the message does not matter
            return {"status": response.status_code}
        if response.headers.get("Content-Type", "").startswith("application/json"):
            return {"status": response.status_code, "json": stable(json.loads(response.content))}
        return {"status": response.status_code, "text": response.content.decode()}

    def _export(self, question: Question) -> Json:
        browser = self.browser(question["by"])
        made = browser.call("POST", question["path"], question["export"], status=201)
        run_task("worker.run_export", made["id"])
        manifest = browser.call("GET", f"/api/exports/{made['id']}/manifest")
        file = browser.get(f"/api/exports/{made['id']}/download").getvalue()
        return {"manifest": stable(manifest), "rows": rows_of(file)}

    def _export_again(self, question: Question) -> Json:
        with TemporaryDirectory() as folder:
            slug = question["path"].split("/")[3]
            call_command("export_labels", slug, again=question["again"], output=Path(folder), stdout=StringIO())
            manifest = json.loads((Path(folder) / "manifest.json").read_bytes())
            [file] = [path for path in Path(folder).iterdir() if path.name.endswith((".jsonl", ".jsonl.gz"))]
            return {"manifest": stable(manifest), "rows": rows_of(file.read_bytes())}


def rows_of(file: bytes) -> list[Json]:
    """Return the rows of an export."""
    return [json.loads(line) for line in unpacked(file).splitlines()]


def unpacked(file: bytes) -> bytes:
    """Return the bytes of an export, with or without gzip."""
    return gzip.decompress(file) if file.startswith(b"\x1f\x8b") else file


def stable(value: Json) -> Json:
    """Return an answer without what differs from run to run."""
    if isinstance(value, dict):
        return {key: VOLATILE.get(key, stable)(inner) for key, inner in value.items()}
    if isinstance(value, list):
        return [stable(inner) for inner in value]
    return value


def answers_to(questions: Iterable[Question]) -> Iterator[dict[str, Any]]:
    """Yield each question with its answer."""
    desk = Desk()
    for question in questions:
        yield {**question, "answer": desk.answer(question)}
