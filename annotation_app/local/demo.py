"""`make demo`: everything on this machine, with a project to look at and logins to look with."""

import http.client
import json
import time

from annotation_app.local.process import tail
from annotation_app.local.stack import Stack
from annotation_app.local.supervisor import Program, Supervisor


def run_servers(stack: Stack, supervisor: Supervisor) -> None:
    """Postgres and Valkey until somebody stops us; the environment for manage.py stands in a file."""
    supervisor.start(stack.postgres)
    supervisor.start(stack.valkey)
    print(f"Postgres and Valkey are up. In another shell:  set -a; . {stack.write_env()}; set +a", flush=True)
    supervisor.watch()


def run_stack(stack: Stack, supervisor: Supervisor) -> None:
    """An empty installation: everything but the demo project."""
    wait_until_ready(stack, start_everything(stack, supervisor))
    print(address(stack), flush=True)
    supervisor.watch()


def start_everything(stack: Stack, supervisor: Supervisor) -> Program:
    """Servers, migrations, web, workers and beat; the web server is given back, perhaps not ready yet."""
    supervisor.start(stack.postgres)
    supervisor.start(stack.valkey)
    stack.write_env()
    stack.program("migrate", "manage.py", "migrate", "--no-input").run()
    web = stack.web()
    scoring = [stack.gpu_worker()] if stack.can_score else []
    for program in (web, stack.worker(), *scoring, stack.beat()):
        supervisor.start(program)
    return web


def run_demo(stack: Stack, supervisor: Supervisor) -> None:
    """Start everything, print where it is and who may log in, and watch until somebody stops us."""
    began = time.monotonic()
    logins = stack.folder / "logins.json"  # made by load_demo at the first start, kept afterwards
    web = start_everything(stack, supervisor)
    stack.program("load_demo", "manage.py", "load_demo", "--logins", str(logins)).run()
    if stack.can_score:
        register_demo_prm(stack)
    wait_until_ready(stack, web)
    print(greeting(stack, json.loads(logins.read_text()), time.monotonic() - began), flush=True)
    supervisor.watch()


def register_demo_prm(stack: Stack) -> None:
    """A PRM with random weights, made at the first start: with it a researcher can run a round."""
    record = stack.models / "demo-random.json"
    if not record.exists():
        stack.program("demo_prm", "-m", "worker.demo_prm", str(stack.models)).run()
        stack.program("register_prm", "manage.py", "register_prm", "Demo (random weights)", str(record)).run()


def wait_until_ready(stack: Stack, web: Program, seconds: float = 60) -> None:
    """Until /readyz says yes. Raises RuntimeError with what it said last."""
    deadline = time.monotonic() + seconds
    said = "nothing"
    while time.monotonic() < deadline and web.running:
        try:
            connection = http.client.HTTPConnection("127.0.0.1", stack.web_port, timeout=5)
            connection.request("GET", "/readyz", headers={"Host": "localhost"})
            answer = connection.getresponse()
            said = answer.read().decode(errors="replace")
            if answer.status == 200:
                return
        except (OSError, http.client.HTTPException) as fault:
            said = str(fault)
        time.sleep(0.1)
    raise RuntimeError(f"The web server is not ready. It said: {said}\nThe end of {web.log}:\n{tail(web.log)}")


def address(stack: Stack) -> str:
    """Where the site is, and why it is not where it was wanted."""
    busy = f"Port {stack.wanted_port} is busy, so {stack.web_port} was chosen.\n"
    return f"{busy if stack.web_port != stack.wanted_port else ''}Stepmark is up:  http://localhost:{stack.web_port}/"


def greeting(stack: Stack, logins: list[dict[str, str]], seconds: float) -> str:
    """What a person needs after the start."""
    lines = ["", f"{address(stack)}   (started in {seconds:.1f} s)", ""]
    lines += [f"  {login['username']:<12}{login['password']:<20}{login['role']}" for login in logins]
    if not stack.can_score:
        lines += [
            "",
            "  torch is not installed here, so rounds with a PRM cannot be scored (make .venv/.installed-scoring).",
        ]
    lines += ["", f"Logins, logs and data stay under {stack.folder} for the next start. Ctrl-C stops everything."]
    return "\n".join(lines)
