"""People at work in an installation of version 0.1.0: over HTTP, with the workers' tasks done here, one at a time."""

import json
from pathlib import Path
from queue import Empty
from typing import Any
from uuid import NAMESPACE_URL, uuid5

from celery import current_app
from django.core.files.uploadedfile import SimpleUploadedFile

from labeling.tests.accounts import Browser
from labeling.tests.upgrade.clock import Clock
from labeling.tests.upgrade.replay import Desk, run_task

Json = dict[str, Any]
Ratings = list[int | None]
PASSWORD = "a long enough sentence 7"
WORDS = {"solution_with_error": "The slip is taken back later.", "solution_but_answer_wrong": "The key is wrong."}


class Site:
    """The installation. Every request takes some time, so no two things happen at the same moment."""

    def __init__(self, clock: Clock, folder: Path) -> None:
        self.clock, self.folder = clock, folder
        self.desk = Desk()
        self.sent = 0

    def call(self, by: str, method: str, path: str, body: Any = None) -> Any:
        """Return the JSON answer of a request that must not be refused."""
        self.clock.pass_by(seconds=1)
        response = self.desk.browser(by).send(method, f"/api/{path}", body)
        assert response.status_code < 300, (by, method, path, response.status_code, response.content[:600])
        return response.json()

    def get(self, by: str, path: str) -> Any:
        """Return the JSON answer to a GET."""
        return self.call(by, "GET", path)

    def post(self, by: str, path: str, body: Any = None) -> Any:
        """Return the JSON answer to a POST."""
        return self.call(by, "POST", path, body)

    def rows(self, by: str, path: str) -> list[Json]:
        """Return a list's rows; no list here is longer than a page."""
        page = self.get(by, f"{path}{'&' if '?' in path else '?'}limit=200")
        assert page["next"] is None, path
        return list(page["results"])

    def invite(self, slug: str, *usernames: str, role: str = "annotator") -> None:
        """Have people follow an invitation link; those without an account make one."""
        for username in usernames:
            made = self.post("admin", f"projects/{slug}/invitations", {"role": role})
            path = f"/api/invitations/{made['url_path'].rsplit('/', 1)[-1]}/accept"
            if username in self.desk.browsers:
                self.desk.browser(username).call("POST", path, {})
                continue
            body = {"username": username, "password": PASSWORD, "display_name": username.title()}
            Browser().call("POST", path, body)
            self.desk.browser(username)

    def project(self, slug: str, name: str, **settings: Any) -> None:
        """Make a project of the admin's, with guidelines and settings."""
        self.post("admin", "projects", {"slug": slug, "name": name})
        self.call("admin", "PATCH", f"projects/{slug}", settings)
        self.post("admin", f"projects/{slug}/guidelines", {"body": f"# {name}\n\nRate each step."})

    def import_rows(self, slug: str, rows: list[Any], **options: Any) -> Json:
        """Upload rows as the admin. Return the import once a worker has done it."""
        data = b"".join(row if isinstance(row, bytes) else json.dumps(row).encode() + b"\n" for row in rows)
        file = SimpleUploadedFile("rows.jsonl", data)
        response = self.desk.browser("admin").upload(f"/api/projects/{slug}/imports", {"file": file, **options})
        assert response.status_code == 201, response.content
        self.work()
        return dict(self.get("admin", f"imports/{response.json()['id']}"))

    def work(self) -> None:
        """Do all tasks that workers have messages for, and the tasks that follow from them."""
        done = True
        while done:
            done = any([self._work_on("cpu"), self._work_on("gpu")])

    def sweep(self) -> None:
        """Do what beat does every twenty seconds."""
        run_task("worker.sweep")
        self.work()

    def _work_on(self, queue: str) -> bool:
        with current_app.connection() as broker:
            messages = broker.SimpleQueue(queue)
            try:
                message = messages.get_nowait()
            except Empty:
                return False
            finally:
                messages.close()
            message.ack()
        self.clock.pass_by(seconds=2)
        run_task(message.headers["task"], *message.payload[0])
        return True

    def claim(self, who: str, slug: str, *, prefetch: bool = False) -> Json:
        """Return a label to work on."""
        claim = self.post(who, f"projects/{slug}/labels/claim", {"prefetch": prefetch})
        assert claim["label"], (who, slug, claim["empty"])
        return dict(claim["label"])

    def say(self, who: str, slug: str, finish: str = "solution", error: int | None = None, **more: Any) -> Json:
        """Claim and submit: steps up to `error` are rated good (counted from 0; at most the trace's last step)."""
        return self.submit(who, self.claim(who, slug), finish, error, **more)

    def submit(self, who: str, label: Json, finish: str, error: int | None = None, **more: Any) -> Json:
        """Submit a label after some time on each step."""
        steps = len(label["steps"])
        error = None if error is None else min(error, steps - 1)
        ratings = more.pop("ratings", None) or _ratings(steps, finish, error)
        start = int(self.clock.at.timestamp() * 1000)
        self.sent += 1
        rated = sum(rating is not None for rating in ratings)
        spans = [{"step": None, "start": start, "end": start + 9_000}]
        for step in range(rated):
            begin = spans[-1]["end"] + 400  # type: ignore[operator]
            spans.append({"step": step, "start": begin, "end": begin + 5_000 + 700 * ((self.sent + step) % 9)})
        self.clock.pass_by(milliseconds=spans[-1]["end"] - start + 2_000)  # type: ignore[operator]
        body = {
            "idempotency_key": str(uuid5(NAMESPACE_URL, f"stepmark/{self.sent}")),
            "finish_reason": finish,
            "ratings": ratings,
            "confirmations": _confirmed(ratings, finish, label["outcome"]),
            "finish_detail": _detail(finish),
            "mistake": {"progress": "some", "explanation": "A slip."} if finish == "found_error" else None,
            "spans": spans,
            "total_ms": spans[-1]["end"] - start + 2_000,  # type: ignore[operator]
            "client_build": "0.1.0",
        }
        path, version = more.pop("path", f"labels/{label['id']}/submit"), {**body, **more}
        answer = dict(self.post(who, path, version))
        return dict(answer.get("label", answer))


def _ratings(steps: int, finish: str, error: int | None) -> Ratings:
    if error is None:
        rated = steps if finish in ("solution", "found_error") else steps - 1
        return [step % 3 != 2 and 1 or 0 for step in range(rated)] + [None] * (steps - rated)
    return [*[1] * error, -1, *[None] * (steps - error - 1)]


def _confirmed(ratings: Ratings, finish: str, outcome: str) -> list[dict[str, str]]:
    if finish != "solution":
        return []
    code = "solution_with_error" if -1 in ratings else "solution_but_answer_wrong"
    needed = -1 in ratings or (outcome == "wrong" and ratings[-1] == 1)
    return [{"code": code, "reason": WORDS[code]}] if needed else []


def _detail(finish: str) -> dict[str, str]:
    if finish == "bad_problem":
        return {"kind": "false_premise", "text": "It can be read in two ways."}
    return {"text": "Too long for me."} if finish == "give_up" else {}
