"""Production as intended: behind docs/nginx.conf, which terminates TLS, used by a browser and by strangers."""

import os
import re
import shutil
import ssl
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import httpx
import pytest
from axes.models import AccessAttempt
from django.conf import settings
from playwright.sync_api import Browser

from annotation_app.local.process import free_port
from annotation_app.tests.running_installation import PASSWORD, wait_for
from annotation_app.tests.web_server import web_server
from labeling.models import Label, Project
from labeling.tests.browser.labeling_desk import LabelingDesk
from labeling.tests.factories import make_member, make_project, make_round

HOST = "localhost"
SECRET = "kD8-wQ2_zLr0vXn5sTb7yHc3mJf9gPa1eUo6iRq4xWt"
PRODUCTION = {
    "ENV_FILE": "/dev/null",
    "STEPMARK_ENV": "production",
    "SECRET_KEY": SECRET,
    "ALLOWED_HOSTS": HOST,
    "BEHIND_TLS_PROXY": "true",
    "ADMIN_PAGES": "false",
    "HTTPS_ONLY": "true",
    "DEBUG": "false",
}
pytestmark = [
    pytest.mark.django_db(transaction=True),
    pytest.mark.slow,
    pytest.mark.browser,
    pytest.mark.skipif(not shutil.which("nginx"), reason="nginx is not installed: apt-get install nginx-light"),
]


class Site:
    """The ports on which nginx listens: with TLS, and without."""

    def __init__(self, folder: Path, web: str) -> None:
        self.folder, self.web = folder, web
        self.plain_port, self.tls_port = free_port(0), free_port(0)
        self.certificate, self.key = folder / "site.pem", folder / "site.key"
        self.url = f"https://{HOST}:{self.tls_port}"

    def write(self) -> Path:
        """docs/nginx.conf with this machine's ports and certificate, and the configuration around it."""
        command = ["openssl", "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes"]
        command += ["-days", "2", "-subj", f"/CN={HOST}", "-addext", f"subjectAltName=DNS:{HOST}"]
        files = ["-keyout", str(self.key), "-out", str(self.certificate)]
        subprocess.run([*command, *files], check=True, capture_output=True)
        text = (settings.BASE_DIR / "docs" / "nginx.conf").read_text()
        for what, here in (
            ("127.0.0.1:8000", self.web.removeprefix("http://")),
            ("listen 80;", f"listen 127.0.0.1:{self.plain_port};"),
            ("listen 443 ssl;", f"listen 127.0.0.1:{self.tls_port} ssl;"),
            ("listen 80 default_server;", f"listen 127.0.0.1:{self.plain_port} default_server;"),
            ("listen 443 ssl default_server;", f"listen 127.0.0.1:{self.tls_port} ssl default_server;"),
            ("/etc/ssl/label.example.org.pem", str(self.certificate)),
            ("/etc/ssl/label.example.org.key", str(self.key)),
            ("$server_name$request_uri", f"$server_name:{self.tls_port}$request_uri"),
            ("Host $host;", "Host $host:$server_port;"),
        ):
            assert text.count(what) == 1, what
            text = text.replace(what, here)
        text = text.replace("label.example.org", HOST)
        folders = "".join(
            f"{name}_temp_path {self.folder / name};\n" for name in ("client_body", "proxy", "fastcgi", "uwsgi", "scgi")
        )
        user = "user root;\n" if os.getuid() == 0 else ""  # only it may enter this folder
        around = (
            f"{user}pid {self.folder}/pid;\nerror_log {self.folder}/error.log;\ndaemon off;\nevents {{}}\nhttp {{\n"
        )
        path = self.folder / "nginx.conf"
        path.write_text(f"{around}access_log off;\n{folders}{text}}}\n")
        return path

    def client(self) -> httpx.Client:
        """A client that trusts only the site's certificate."""
        verify = ssl.create_default_context(cafile=str(self.certificate))
        return httpx.Client(base_url=self.url, verify=verify, timeout=30)


@contextmanager
def production(folder: Path) -> Iterator[Site]:
    """The web server in production mode, behind nginx."""
    page = {"FRONTEND_DIR": str(settings.FRONTEND_DIR)}
    with web_server(folder, **PRODUCTION, **page) as web:
        site = Site(folder, web)
        nginx = subprocess.Popen(["nginx", "-c", str(site.write())])
        try:
            wait_for("nginx", lambda: (folder / "pid").exists() and nginx.poll() is None, 30)
            yield site
        finally:
            nginx.terminate()
            nginx.wait(30)


def write_headers(client: httpx.Client, site: Site) -> dict[str, str]:
    """Return the headers that the page sends with every change."""
    client.get("/api/session")
    return {"X-CSRFToken": client.cookies["csrftoken"], "Referer": f"{site.url}/", "Origin": site.url}


def strangers_are_held_to_https(site: Site) -> None:
    """Nothing is served without TLS, nobody who claims TLS is believed, and /admin and /readyz are not routed."""
    redirect = httpx.get(f"http://127.0.0.1:{site.plain_port}/p/x?y=1", headers={"Host": HOST})
    assert (redirect.status_code, redirect.headers["location"]) == (308, f"{site.url}/p/x?y=1")
    with site.client() as client:
        answer = client.get("/api/session")
        assert answer.headers["strict-transport-security"] == "max-age=31536000"
        assert re.search(r"csrftoken=.*; Secure", answer.headers["set-cookie"])
        assert client.get("/admin/login/").status_code == 404
        assert client.get("/admin").status_code == 404
        assert client.get("/readyz").status_code == 404
        named = {"X-Request-Id": "somebody-elses-request"}
        assert client.get("/api/session", headers=named).headers["x-request-id"] != named["X-Request-Id"]
        assert client.get("/healthz").headers["content-security-policy"].startswith("default-src 'none'")
        other_name = {"Host": "evil.example.org"}
        with pytest.raises(httpx.RemoteProtocolError):
            client.get("/api/session", headers=other_name)
    with pytest.raises(httpx.RemoteProtocolError):
        httpx.get(f"http://127.0.0.1:{site.plain_port}/login", headers=other_name)
    with pytest.raises(httpx.ConnectError):  # no name in the handshake, or another one
        httpx.get(f"https://127.0.0.1:{site.tls_port}/login", verify=False)
    unasked = httpx.get(f"{site.web}/api/session", headers={"Host": HOST})
    assert unasked.status_code == 301  # bypassing nginx: no proxy reported TLS


def failures_count_for_the_address_that_nginx_saw(site: Site) -> None:
    """Clients that send another address in X-Forwarded-For are counted under their own."""
    with site.client() as client:
        headers = {**write_headers(client, site), "X-Forwarded-For": "203.0.113.9", "X-Real-IP": "203.0.113.9"}
        answer = client.post("/api/session/login", headers=headers, json={"username": "ada", "password": "no"})
        assert answer.status_code == 401, answer.text
    assert [attempt.ip_address for attempt in AccessAttempt.objects.all()] == ["127.0.0.1"]


def files_pass_and_other_bodies_do_not_grow(site: Site, project: Project) -> None:
    """A file larger than any other body is accepted from those who may send it."""
    with site.client() as client:
        headers = write_headers(client, site)
        who = {"username": "rosa", "password": PASSWORD}
        assert client.post("/api/session/login", headers=headers, json=who).status_code == 200
        headers = write_headers(client, site)
        path = f"/api/projects/{project.slug}/imports"
        sent = client.post(path, headers=headers, files={"file": b"{}\n" * 3_500_000}, data={"format": "neutral"})
        assert sent.status_code == 201, sent.text
        scores = {"name": "Made elsewhere", "fingerprint": "qwen@1"}
        path = f"/api/projects/{project.slug}/score_imports"
        sent = client.post(path, headers=headers, files={"file": b"{}\n" * 3_500_000}, data=scores)
        assert sent.status_code in (201, 202), sent.text
        refused = client.post("/api/session/login", headers=headers, content=b" " * 9_000_000)
        assert refused.status_code == 413


def a_person_logs_in_and_labels(site: Site, project: Project, browser: Browser) -> None:
    """In a browser, by the keyboard alone, with cookies that exist only under HTTPS."""
    context = browser.new_context(ignore_https_errors=True, base_url=site.url)
    page = context.new_page()
    page.goto(f"/projects/{project.slug}/label")
    page.get_by_label("User name").fill("ada")
    page.get_by_role("textbox", name="Password").fill(PASSWORD)
    page.keyboard.press("Enter")
    desk = LabelingDesk(page, page.url)
    desk.step(1).wait_for()
    assert {cookie["name"]: cookie["secure"] for cookie in context.cookies()} == {"csrftoken": True, "sessionid": True}
    desk.press("Space", "Space", "Space", "Enter")
    desk.expect_text("You have labeled all there is for you")
    desk.wait_until(lambda: Label.objects.filter(status="submitted").exists(), "the label is submitted")
    context.close()


def test_production_behind_the_shipped_proxy_serves_people_and_holds_strangers_off(
    tmp_path: Path, browser: Browser, products_hashers: None
) -> None:
    project = make_project()
    for name, role in (("ada", "annotator"), ("rosa", "researcher")):
        make_member(project, role, username=name, password=PASSWORD)
    make_round(project, 1)
    with production(tmp_path) as site:
        strangers_are_held_to_https(site)
        failures_count_for_the_address_that_nginx_saw(site)
        files_pass_and_other_bodies_do_not_grow(site, project)
        a_person_logs_in_and_labels(site, project, browser)
    assert "Traceback" not in (tmp_path / "web.log").read_text()
