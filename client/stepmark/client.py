"""A server, and a project on it. Every method calls one endpoint of the API, or waits for the work that it started."""

import json
import tempfile
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, cast
from uuid import uuid4

from stepmark.answers import count_in, kept, page_in, sha256_in
from stepmark.config import find_login
from stepmark.downloads import download
from stepmark.errors import NotUnderstood, StepmarkError
from stepmark.http import Http
from stepmark.releases import Releases
from stepmark.shapes import ExportOut, ImportOut, PrmOut, ProjectOut, RoundOut, ScoreImportOut, TrainingRunOut
from stepmark.tables import Kind, container_of, read_rows
from stepmark.waiting import Told, is_finished, require_success, wait_until

ENDED = ("cancelled", "failed")  # final statuses of a round
EMPTY_PAGES = 10_000  # in a row; a narrowed list has one for each 2,000 rows without a match


class Stepmark:
    """A server and a login: from the arguments, STEPMARK_URL and STEPMARK_TOKEN, or the login of `stepmark login`."""

    def __init__(self, url: str | None = None, token: str | None = None, *, http: Http | None = None, **options: Any):
        """`options` are timeout and patience, in seconds. Raises NotLoggedIn."""
        self.http = http or Http(find_login(url, token), **options)

    def __enter__(self) -> "Stepmark":
        return self

    def __exit__(self, *_: object) -> None:
        self.http.close()

    def call(self, method: str, path: str, body: Any = None, **options: Any) -> Any:
        """Call any endpoint listed on the product's page API, such as `call("GET", "/api/projects")`."""
        return self.http.call(method, path, body, **options)

    def save(self, path: str, target: str | Path) -> Path:
        """Write the file that an endpoint returns, completely or not at all."""
        return download(self.http, path, Path(target))

    def who(self) -> dict[str, Any]:
        """Return the account that the token belongs to."""
        session = self.call("GET", "/api/session")
        if not isinstance(session, dict) or not isinstance(session.get("user", ""), dict | None):
            raise NotUnderstood(self.http.url, "without naming an account")
        user: dict[str, Any] | None = session["user"]
        if user is None:
            raise StepmarkError("The token belongs to no account. Create a new one under Account.")
        return user

    def pages(self, path: str, **query: Any) -> Iterator[Any]:
        """Yield every row of a list, page by page; keeps no page. Raises NotUnderstood if the list never ends."""
        address, seen, empty = f"{self.http.url}{path}", set[str](), 0
        while True:
            page = page_in(self.call("GET", path, params=query), address)
            yield from page.rows
            if page.following is None:
                return
            empty = 0 if page.rows else empty + 1
            if page.following in seen or empty > EMPTY_PAGES:
                raise NotUnderstood(address, "with a list that never ends")
            seen.add(page.following)
            query["cursor"] = page.following

    def projects(self) -> list[ProjectOut]:
        """Return the projects that the account is in."""
        return self.rows("/api/projects")

    def rows(self, path: str) -> list[Any]:
        """Return every row of a list that is no longer than an account's projects or a project's rounds could be."""
        return kept(self.pages(path), f"{self.http.url}{path}")

    def project(self, slug: str) -> "Project":
        """Return a project by its address. No request is sent before it is used."""
        return Project(self, slug)


class Project:
    """A project. Methods wait for workers' jobs unless `wait` is false; `tell` is called with every answer."""

    def __init__(self, site: Stepmark, slug: str) -> None:
        self.site, self.slug = site, slug
        self.path = f"/api/projects/{slug}"
        self.releases = Releases(site, self.path)

    def about(self) -> ProjectOut:
        """Return its settings, and your role."""
        return cast(ProjectOut, self.site.call("GET", self.path))

    # Data in

    def import_file(self, file: str | Path, *, wait: bool = True, tell: Told | None = None, **asked: Any) -> ImportOut:
        """Upload traces; `asked`: format or mapping, dry_run, skip_faulty, labels_of, marks_of, split.

        Raises Faulty, JobFailed.
        """
        job = cast(ImportOut, self._upload("imports", file, asked))
        return self._finished("import", f"/api/imports/{job['id']}", job, tell) if wait else job

    def import_scores(
        self, file: str | Path, *, name: str, wait: bool = True, tell: Told | None = None, **asked: Any
    ) -> ScoreImportOut:
        """Upload scores that were made elsewhere; `asked`: fingerprint, scale, aggregation, dry_run, skip_faulty.

        Pass the answer's `scorer` to a round as its `prm`. Raises Faulty, JobFailed.
        """
        job = cast(ScoreImportOut, self._upload("score_imports", file, {"name": name, **asked}))
        return self._finished("score import", f"/api/score_imports/{job['id']}", job, tell) if wait else job

    # Rounds

    def rounds(self) -> list[RoundOut]:
        """Return the project's rounds, newest first."""
        return self.site.rows(f"{self.path}/rounds")

    def round(self, round_id: int) -> RoundOut:
        """Return one round by its id."""
        return cast(RoundOut, self.site.call("GET", f"/api/rounds/{round_id}"))

    def open_round(self, source: str = "all", *, wait: bool = True, tell: Told | None = None, **asked: Any) -> RoundOut:
        """Put traces on the queue; `asked` as in the API: filter, sample_size, seed, name, overlap, priority."""
        body = {"source": source, "client_key": str(uuid4()), **asked}  # if sent twice, it opens one round
        opened = cast(RoundOut, self.site.call("POST", f"{self.path}/rounds", body))
        return self.wait_for_round(opened["id"], ("labeling",), tell=tell) if wait else opened

    def start_round(self, *, k: int, wait: bool = True, tell: Told | None = None, **asked: Any) -> RoundOut:
        """Have workers choose traces; `asked` as in the API: prm, filter, mode, ratio, generate. Publish it next."""
        body = {"k": k, "client_key": str(uuid4()), **asked}
        started = cast(RoundOut, self.site.call("POST", f"{self.path}/rounds/start", body))
        return self.wait_for_round(started["id"], ("ready",), tell=tell) if wait else started

    def publish_round(self, round_id: int) -> RoundOut:
        """Serve the chosen traces to labelers."""
        return cast(RoundOut, self.site.call("POST", f"/api/rounds/{round_id}/publish"))

    def close_round(self, round_id: int) -> RoundOut:
        """Stop serving the round; its labels stay."""
        return cast(RoundOut, self.site.call("POST", f"/api/rounds/{round_id}/close"))

    def wait_for_round(
        self,
        round_id: int,
        until: Sequence[str] = ("closed",),
        *,
        seconds: float | None = None,
        tell: Told | None = None,
    ) -> RoundOut:
        """Return the round once it has one of these statuses. Raises JobFailed if it failed or was cancelled."""

        def is_over(found: dict[str, Any]) -> bool:
            return found["status"] in (*until, *ENDED)

        found = wait_until(lambda: self.round(round_id), is_over, seconds=seconds, tell=tell)
        return found if found["status"] in until else require_success("round", found)

    # Labels out

    def export(
        self, format: str = "neutral", *, wait: bool = True, tell: Told | None = None, **asked: Any
    ) -> ExportOut:
        """Export the labels to a file; `asked` as in the API: filters, switches, container, gzip, roles."""
        body = {"format": format, **asked}
        job = cast(ExportOut, self.site.call("POST", f"{self.path}/exports", body))
        return self._finished("export", f"/api/exports/{job['id']}", job, tell) if wait else job

    def download(self, export: ExportOut, target: str | Path) -> Path:
        """Download the finished file and check its hash; resumes a broken download. Raises Damaged, NoRoom."""
        http = self.site.http
        export_id = count_in(export, "id", http.url)
        if not export["sha256"]:  # it was not finished when it was requested
            export = cast(ExportOut, self.site.call("GET", f"/api/exports/{export_id}"))
            if export["status"] != "succeeded":
                raise StepmarkError(f"Export {export_id} has no file: it is {export['status']}.")
        told, size = sha256_in(export, "sha256", http.url), count_in(export, "bytes", http.url)
        address = f"/api/exports/{export_id}/download"
        return download(http, address, Path(target), sha256=told, size=size)

    def labels(
        self,
        kind: Kind = "list",
        *,
        format: str = "neutral",
        rounds: Sequence[int] = (),
        switches: Mapping[str, str] | None = None,
        tell: Told | None = None,
    ) -> Any:
        """Return the labels as a list of rows, a pandas frame, a pyarrow table or a dataset of `datasets`.

        A table's columns (pyarrow, datasets) are those of the format, with its types, whatever the rows contain; keys
        that only some rows have are in `further_keys` as JSON (docs/formats.md, "Files"). In a list and in a pandas
        frame, each is a separate key or column.
        """
        filters = {"rounds": list(rounds)} if rounds else {}
        asked: dict[str, Any] = {"filters": filters, "switches": dict(switches or {}), "container": container_of(kind)}
        export = self.export(format, tell=tell, **asked)
        with tempfile.TemporaryDirectory() as folder:
            return read_rows(self.download(export, Path(folder) / "labels"), kind)

    # Models

    def prms(self) -> list[PrmOut]:
        """Return what a round can choose by: PRMs, and scores that were made elsewhere."""
        found: list[PrmOut] = self.site.call("GET", f"{self.path}/prms")["results"]
        return found

    def train(
        self, rounds: Sequence[int], *, base: str, wait: bool = True, tell: Told | None = None, **asked: Any
    ) -> TrainingRunOut:
        """Train a PRM on these rounds' labels; `asked` as in the API: method, switches, name, seed."""
        body = {"round_ids": list(rounds), "base": base, **asked}
        job = cast(TrainingRunOut, self.site.call("POST", f"{self.path}/training_runs", body))
        return self._finished("training", f"/api/training_runs/{job['id']}", job, tell) if wait else job

    def _upload(self, place: str, file: str | Path, asked: Mapping[str, Any]) -> Any:
        path = Path(file)
        fields = {name: _field(value) for name, value in asked.items()}
        with path.open("rb") as opened:
            files = {"file": (path.name, opened)}
            return self.site.call("POST", f"{self.path}/{place}", data=fields, files=files)

    def _finished(self, what: str, path: str, _job: Any, tell: Told | None) -> Any:
        return require_success(what, wait_until(lambda: self.site.call("GET", path), is_finished, tell=tell))


def _field(value: Any) -> Any:
    """Return a value as a form field."""
    if isinstance(value, Mapping):
        return json.dumps(value)
    return str(value).lower() if isinstance(value, bool) else value
