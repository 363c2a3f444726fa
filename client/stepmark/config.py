"""Finds the server and token: from the environment, or from the file that `stepmark login` wrote."""

import json
import os
from pathlib import Path
from typing import NamedTuple

from stepmark.errors import NotLoggedIn

URL, TOKEN = "STEPMARK_URL", "STEPMARK_TOKEN"
HOW = f"Run `stepmark login`, or set {URL} and {TOKEN}. Create tokens under Account."


class Login(NamedTuple):
    """A server and a token for it."""

    url: str
    token: str


def config_file() -> Path:
    """Return the path of the file that `stepmark login` writes; STEPMARK_CONFIG overrides it."""
    named = os.environ.get("STEPMARK_CONFIG")
    if named:
        return Path(named)
    return Path(os.environ.get("XDG_CONFIG_HOME") or Path.home() / ".config") / "stepmark" / "login.json"


def find_login(url: str | None = None, token: str | None = None) -> Login:
    """Return the login from the arguments, the environment or the file. Raises NotLoggedIn."""
    kept = _kept()
    found_url = url or os.environ.get(URL) or kept.get("url")
    found_token = token or os.environ.get(TOKEN)
    if not found_token and found_url == kept.get("url"):  # a token is only for its own server
        found_token = kept.get("token")
    if not found_url or not found_token:
        raise NotLoggedIn(f"{'No server' if not found_url else 'No token'} is set. {HOW}")
    return Login(found_url.strip().rstrip("/"), found_token.strip())  # files with variables may leave line ends behind


def keep_login(login: Login) -> Path:
    """Write the file so that other users can never read it."""
    path = config_file()
    path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
    fresh = path.with_name(f"{path.name}.{os.getpid()}.new")
    with os.fdopen(os.open(fresh, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600), "w") as file:
        json.dump(login._asdict(), file)
    fresh.replace(path)
    return path


def forget_login() -> bool:
    """Remove the file; return whether there was one."""
    path = config_file()
    there = path.exists()
    path.unlink(missing_ok=True)
    return there


def _kept() -> dict[str, str]:
    path = config_file()
    if not path.exists():
        return {}
    if path.stat().st_mode & 0o077:
        raise NotLoggedIn(f"{path} holds a token but other users can read it. Run: chmod 600 {path}")
    try:
        kept = Login(**json.loads(path.read_text()))
    except (ValueError, TypeError) as fault:
        raise NotLoggedIn(f"{path} is not a file that `stepmark login` wrote. Run `stepmark login` again.") from fault
    return kept._asdict()
