"""The parts that commands share: `--json`, the project, the server, and how results are printed."""

import argparse
import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

from stepmark.client import Project, Stepmark
from stepmark.printing import print_json, say

Options = argparse.Namespace
ROUND_ID = "The round's id: the first column of `stepmark rounds list` (the second is its number)."


def command(commands: Any, name: str, run: Callable[[Options], None], about: str) -> argparse.ArgumentParser:
    """Add a command with that name, which calls `run`."""
    made: argparse.ArgumentParser = commands.add_parser(name, help=about, description=about)
    made.add_argument("--json", action="store_true", help="Print the server's answer as JSON.")
    made.set_defaults(run=run)
    return made


def of_project(commands: Any, name: str, run: Callable[[Options], None], about: str) -> argparse.ArgumentParser:
    """Add a command whose first argument is a project."""
    made = command(commands, name, run, about)
    made.add_argument("project", metavar="PROJECT", help="The project's address, as in its URL.")
    return made


def named_value(text: str) -> tuple[str, str]:
    """Split NAME=VALUE. Raises ArgumentTypeError."""
    name, equals, value = text.partition("=")
    if not equals:
        raise argparse.ArgumentTypeError(f"{text!r} is not NAME=VALUE")
    return name, value


def json_object(name: str) -> dict[str, str]:
    """Read a JSON file in which every value is a text. Raises ArgumentTypeError."""
    try:
        found = json.loads(Path(name).read_text(encoding="utf-8"))
    except (OSError, ValueError) as fault:
        raise argparse.ArgumentTypeError(f"{name}: {fault}") from fault
    if not isinstance(found, dict) or not all(isinstance(said, str) for said in found.values()):
        raise argparse.ArgumentTypeError(f'{name} is not a JSON object of texts: {{"name": "…"}}')
    return found


def the_site(options: Options, *login: str) -> Stepmark:
    """Return the server to use, open until the command ends."""
    site: Stepmark = options.open.enter_context(Stepmark(*login))
    return site


def the_project(options: Options) -> Project:
    """Return the project that the command names."""
    return the_site(options).project(options.project)


def any_project(options: Options) -> Project:
    """Return a project without an address, for things whose id is enough."""
    return the_site(options).project("")


def show(options: Options, answer: Any, text: str) -> None:
    """Print the answer for programs, or a sentence for people."""
    if options.json:
        print_json(answer)
    else:
        say(text)
