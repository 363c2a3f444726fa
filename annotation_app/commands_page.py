"""docs/commands.md, generated from the commands' own help: ours of `manage.py`, all of `stepmark` (`make commands`)."""

import argparse
import sys
from collections.abc import Iterator
from pathlib import Path

from django.core.management import get_commands, load_command_class

BASE_DIR = Path(__file__).resolve().parent.parent
PAGE = BASE_DIR / "docs" / "commands.md"
HEAD = """# Commands

This page is generated from the commands' own help (`make commands`). `python manage.py COMMAND` runs on the server,
with its environment (docs/operations.md). `stepmark COMMAND` runs on any machine and uses the API with a token
(client/README.md).
"""
OF_DJANGO = {
    *("-h", "--version", "--verbosity", "--settings", "--pythonpath", "--traceback", "--no-color", "--force-color"),
    "--skip-checks",
}
OURS = "labeling"
MOST_CHOICES, LONGEST, IN_FULL = 6, 400, "Listed by `--help`; see docs/formats.md and docs/training.md."


def commands_page() -> str:
    """Return the whole page."""
    names = sorted(name for name, app in get_commands().items() if app == OURS and name != "migrate")
    manage = [_section(f"python manage.py {name}", _parser_of(name)) for name in names]
    client = [_section(prog, parser) for prog, parser in _leaves(_stepmark())]
    return "\n".join([HEAD, "## manage.py\n", *manage, "## stepmark\n", _stepmark().epilog or "", "", *client])


def _parser_of(name: str) -> argparse.ArgumentParser:
    return load_command_class(OURS, name).create_parser("manage.py", name)


def _stepmark() -> argparse.ArgumentParser:
    sys.path.append(str(BASE_DIR / "client"))
    from stepmark.cli import parser  # noqa: PLC0415  (a package of its own, which nothing of the server needs)

    return parser()


def _leaves(parser: argparse.ArgumentParser) -> Iterator[tuple[str, argparse.ArgumentParser]]:
    groups = [action for action in parser._actions if isinstance(action, argparse._SubParsersAction)]
    if not groups:
        yield parser.prog, parser
    for group in groups:
        for inner in group.choices.values():
            yield from _leaves(inner)


def _section(prog: str, parser: argparse.ArgumentParser) -> str:
    told = [action for action in parser._actions if action.option_strings[:1] != ["-h"] and not _is_djangos(action)]
    positional = [action for action in told if not action.option_strings]
    usage = " ".join([prog, *(_shown(action) for action in positional)])
    lines = [f"### `{usage}`\n", f"{_one_line(parser.description)}\n"]
    options = [f"| `{_named(action)}` | {_means(action)} |" for action in told if action.option_strings or action.help]
    table = ["| | |", "| --- | --- |", *options, ""] if options else []
    return "\n".join([*lines, *table])


def _is_djangos(action: argparse.Action) -> bool:
    return any(name in OF_DJANGO for name in action.option_strings)


def _named(action: argparse.Action) -> str:
    if not action.option_strings:
        return _shown(action)
    value = "" if action.nargs == 0 else f" {_shown(action)}"
    return f"{', '.join(action.option_strings)}{value}".replace("|", "\\|")


def _shown(action: argparse.Action) -> str:
    if action.metavar is not None:
        return action.metavar if isinstance(action.metavar, str) else " ".join(action.metavar)
    if action.choices and len(list(action.choices)) <= MOST_CHOICES:
        return "|".join(map(str, action.choices))
    return action.dest.upper()


def _means(action: argparse.Action) -> str:
    needed = "Required. " if action.required and action.option_strings else ""
    said = _one_line(action.help)
    return (needed + (said if len(said) <= LONGEST else IN_FULL)).replace("|", "\\|")


def _one_line(text: str | None) -> str:
    return " ".join((text or "").split()).replace("%%", "%").replace("%(prog)s", "stepmark")


def main() -> None:
    """Write the page."""
    import django  # noqa: PLC0415  (the settings are read only when asked for)

    django.setup()
    PAGE.write_text(commands_page())


if __name__ == "__main__":
    main()
