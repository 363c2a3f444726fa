"""`stepmark`: the command line. `stepmark COMMAND --help` describes each command."""

import argparse
import getpass
import json
import sys
from collections.abc import Sequence
from contextlib import ExitStack
from pathlib import Path
from typing import Any

from stepmark.answers import count_in
from stepmark.commands import (
    ROUND_ID,
    Options,
    any_project,
    command,
    json_object,
    named_value,
    of_project,
    show,
    the_project,
    the_site,
)
from stepmark.config import Login, forget_login, keep_login
from stepmark.errors import Faulty, NotLoggedIn, NotReachable, StepmarkError
from stepmark.printing import print_import, print_json, print_rows, progress, say, without_rows
from stepmark.release_commands import add_releases

DONE, FAILED, FAULTY, NO_SERVER = 0, 1, 3, 4  # 2 is a command that is not understood
EXIT_CODES = "Exit codes: 0 done; 1 refused or failed; 2 not understood; 3 the file has faults; 4 no server or login."
# What reading an answer raises if it does not match the API's schema: wrong keys, types, numbers, signs, nesting.
ODD_ANSWER = (LookupError, TypeError, AttributeError, ValueError, ArithmeticError, RecursionError)
SHOWN = 300  # characters of the reason
FILTERS = {
    "generator": "Model that wrote the traces.",
    "source": "Source of the traces, as given in their rows.",
    "subject": "Subject of the problem.",
    "level": "Level of the problem.",
}
# Filters by what labels and a PRM say about the traces; steps count from 0, as in the API.
ERRORS = {"error_min": "at step N, from 0, or later", "error_max": "at step N, from 0, or earlier"}
SCORES = {"score_min": "Minimum", "score_max": "Maximum"}
METHODS = "head: on one layer of a frozen base (default); stacked: on several layers; lora, full: the base learns too."
SCALES, AGGREGATIONS = ("probability", "log_ratio"), ("product", "min", "mean", "last")


def main(arguments: Sequence[str] | None = None) -> int:
    """Run one command and return the exit code."""
    options = parser().parse_args(arguments)
    try:
        with ExitStack() as options.open:
            options.run(options)
    except Faulty as faulty:
        (print_json if options.json else print_import)(faulty.job)
        say(faulty, file=sys.stderr)
        return FAULTY
    except (NotLoggedIn, NotReachable) as away:
        say(away, file=sys.stderr)
        return NO_SERVER
    except (StepmarkError, OSError) as fault:
        say(fault, file=sys.stderr)
        return FAILED
    except UnicodeEncodeError as fault:
        say(f"This terminal cannot show all characters: {fault}. Set PYTHONIOENCODING=utf-8.", file=sys.stderr)
        return FAILED
    except ODD_ANSWER as fault:
        how = " ".join(f"{type(fault).__name__}: {fault}".split())[:SHOWN]
        say(f"This client does not understand the server's answer: {how}.", file=sys.stderr)
        say("Is it a Stepmark server of the same version as the client?", file=sys.stderr)
        return FAILED
    except KeyboardInterrupt:
        print("Stopped. Jobs already started on the server continue there.", file=sys.stderr)
        return FAILED
    return DONE


def parser() -> argparse.ArgumentParser:
    """Return the parser of all commands, from which docs/commands.md is generated."""
    top = argparse.ArgumentParser(prog="stepmark", description="Stepmark from the command line.", epilog=EXIT_CODES)
    commands = top.add_subparsers(metavar="COMMAND", required=True)
    _add_login(commands)
    _add_data(commands)
    _add_rounds(commands)
    _add_models(commands)
    add_releases(commands)
    api = command(commands, "api", run_api, "Call any endpoint of the API and print its JSON response.")
    api.add_argument("method", metavar="METHOD", type=str.upper, help="GET, POST, PUT, PATCH or DELETE.")
    api.add_argument("path", metavar="PATH", help="As listed on the page API, such as /api/projects")
    api.add_argument("--body", type=json.loads, help="Body of the request, as JSON.")
    return top


def _add_login(commands: Any) -> None:
    login = command(
        commands, "login", run_login, "Store a server's address and a token in a file that only you can read."
    )
    login.add_argument("--url", required=True, help="Such as https://stepmark.example.org")
    login.add_argument(
        "--token", help="Create it under Account. If you leave it out, you are prompted for it; it is not shown."
    )
    command(commands, "logout", run_logout, "Delete the stored address and token.")
    command(commands, "whoami", run_whoami, "Show which account the token belongs to.")
    command(commands, "projects", run_projects, "List your projects.")


def _add_data(commands: Any) -> None:
    into = of_project(commands, "import", run_import, "Upload traces and wait until they are imported.")
    into.add_argument("file", metavar="FILE", type=Path)
    into.add_argument("--format", default="", help="Default: detected from the first row.")
    into.add_argument(
        "--mapping",
        metavar="FILE",
        type=json_object,
        default={},
        help="JSON that says which column is what; replaces a format.",
    )
    into.add_argument(
        "--marks-of", default="", help="Keep the rows' marks of steps as scores of a machine with this name."
    )
    into.add_argument("--labels-of", default="", help="Turn recorded ratings into labels, by a labeler with this name.")
    into.add_argument(
        "--split", choices=("train", "held_out"), default="", help="Split of problems whose rows give none."
    )
    _add_checks(into)
    out = of_project(commands, "labels", run_labels, "Write the labels to a file; same as export.")
    _add_export(out, "neutral")
    _add_export(of_project(commands, "export", run_labels, "Write the labels to a file, in any format."), None)


def _add_export(command: argparse.ArgumentParser, format: str | None) -> None:
    command.add_argument("--format", default=format, required=format is None, help="A format from docs/formats.md.")
    _add_rounds_named(command, required=False)
    switched = "A switch of the format (docs/formats.md). Repeatable."
    command.add_argument("--switch", action="append", default=[], metavar="NAME=VALUE", type=named_value, help=switched)
    packed = "Container of the rows. Default: json_lines."
    command.add_argument("--container", choices=("json_lines", "parquet"), default="json_lines", help=packed)
    command.add_argument("--gzip", action="store_true", help="Compress JSON lines with gzip.")
    command.add_argument("--output", "-o", metavar="FILE", type=Path, required=True)


def _add_rounds_named(command: argparse.ArgumentParser, *, required: bool) -> None:
    about: dict[str, Any] = {"metavar": "ID", "help": f"{ROUND_ID} Repeatable."}
    command.add_argument("--round", dest="rounds", type=int, action="append", default=[], required=required, **about)


def _add_checks(command: argparse.ArgumentParser) -> None:
    command.add_argument("--dry-run", action="store_true", help="Check everything; import nothing.")
    command.add_argument("--skip-faulty", action="store_true", help="Import the rows without faults.")


def _add_rounds(commands: Any) -> None:
    rounds = commands.add_parser("rounds", help="Open, publish, watch and close rounds.").add_subparsers(
        metavar="COMMAND", required=True
    )
    of_project(rounds, "list", run_rounds, "List a project's rounds, newest first.")
    opened = of_project(rounds, "open", run_open, "Put traces on the queue.")
    opened.add_argument("--sample", type=int, metavar="N", help="Number of traces to draw at random. Default: all.")
    started = of_project(rounds, "start", run_start, "Have workers choose traces by scores; publish the round later.")
    started.add_argument(
        "--prm", type=int, metavar="ID", help="PRM whose scores count (`stepmark prms`). Default: random choice."
    )
    started.add_argument("--k", type=int, required=True, help="Traces per problem, or in total with --mode global.")
    started.add_argument(
        "--mode", choices=("per_problem", "global"), default="per_problem", help="Default: per_problem."
    )
    for made in (opened, started):
        _add_filter(made)
        made.add_argument("--name", default="", help="Name shown next to the round's number.")
        made.add_argument("--overlap", type=int, help="Labelers per trace. Default: the project's setting.")
    for name, run, about in (
        ("publish", run_publish, "Serve the chosen traces to labelers."),
        ("close", run_close, "Close a round: none of its tasks are served any more."),
        ("wait", run_wait, "Wait until a round is closed or has another status."),
    ):
        made = command(rounds, name, run, about)
        made.add_argument("round", metavar="ROUND", type=int, help=ROUND_ID)
    made.add_argument(
        "--until", action="append", metavar="STATUS", help="Status to wait for. Default: closed. Repeatable."
    )
    made.add_argument("--timeout", type=float, metavar="SECONDS", help="Give up after this time. Default: never.")


def _add_filter(command: argparse.ArgumentParser) -> None:
    """Add the options of the API's `filter`: which traces a round is made of."""
    group = command.add_argument_group("which traces", "Default: all.")
    for name, about in FILTERS.items():
        group.add_argument(f"--{name}", default="", help=about)
    group.add_argument(
        "--outcome", choices=("correct", "wrong", "ungraded"), default="", help="Outcome of the final answer."
    )
    group.add_argument("--split", choices=("train", "held_out"), default="", help="Only problems in this split.")
    for name, bound in {"steps_min": "At least", "steps_max": "At most"}.items():
        group.add_argument(_option(name), type=int, metavar="N", help=f"{bound} this many steps.")
    group.add_argument("--unlabeled-only", action="store_true", help="Only traces without a label.")
    group.add_argument(
        "--first-error",
        choices=("none", "some", "differ"),
        default="",
        help="Verdict of most labels; differ: the labels are tied.",
    )
    for name, about in ERRORS.items():
        group.add_argument(_option(name), type=int, metavar="N", help=f"The first error is {about}.")
    for name, about in SCORES.items():
        group.add_argument(_option(name), type=float, metavar="SCORE", help=f"{about} score by --scorer.")
    group.add_argument(
        "--scorer", type=int, metavar="ID", help="Scorer for --score-min and --score-max (`stepmark prms`)."
    )


def _option(name: str) -> str:
    return f"--{name.replace('_', '-')}"


def _filter_of(options: Options) -> dict[str, Any]:
    names = (*FILTERS, "outcome", "split", "steps_min", "steps_max", "unlabeled_only")
    given = {name: getattr(options, name) for name in (*names, "first_error", *ERRORS, *SCORES, "scorer")}
    # A bound of 0 counts, although it equals False.
    return {name: value for name, value in given.items() if value is not False and value not in (None, "")}


def _add_models(commands: Any) -> None:
    of_project(commands, "prms", run_prms, "List the PRMs and scorers that a round can choose by.")
    train = of_project(commands, "train", run_train, "Train a PRM on the labels of rounds and wait until it is done.")
    _add_rounds_named(train, required=True)
    train.add_argument("--base", required=True, help="A base that the operator has configured.")
    train.add_argument("--method", choices=("head", "stacked", "lora", "full"), default="head", help=METHODS)
    train.add_argument("--name", default="", help="Name of the PRM.")
    scores = commands.add_parser("scores", help="Scores that were computed elsewhere.")
    scores = scores.add_subparsers(metavar="COMMAND", required=True)
    into = of_project(scores, "import", run_scores, 'Upload rows {"trace_id" or "trace_hash", "scores": [...]}.')
    into.add_argument("file", metavar="FILE", type=Path)
    into.add_argument("--name", required=True, help="Name of the step scorer: a new one, or one to add scores to.")
    into.add_argument(
        "--fingerprint", default="", help="Identifies the model and its settings. Needed unless the rows give it."
    )
    into.add_argument("--scale", choices=SCALES, default="", help="Default: from the rows, otherwise probability.")
    into.add_argument(
        "--aggregation", choices=AGGREGATIONS, default="product", help="How step scores become a trace's score."
    )
    into.add_argument("--learned-from", default="", help="What the model was trained on.")
    _add_checks(into)


def run_login(options: Options) -> None:
    token = options.token or getpass.getpass("Token: ")
    login = Login(options.url.rstrip("/"), token.strip())
    user = the_site(options, *login).who()
    path = keep_login(login)
    show(options, user, f"Logged in as {user['username']}. Saved in {path}.")


def run_logout(options: Options) -> None:
    there = forget_login()
    show(
        options,
        {"forgotten": there},
        "Login deleted. The token works until it is revoked." if there else "No login was stored.",
    )


def run_whoami(options: Options) -> None:
    user = the_site(options).who()
    show(options, user, user["username"])


def run_projects(options: Options) -> None:
    found = the_site(options).projects()
    if options.json:
        print_json(found)
    else:
        print_rows((one["slug"], one["role"], one["name"]) for one in found)


def run_import(options: Options) -> None:
    names = ("format", "labels_of", "marks_of", "split", "dry_run", "skip_faulty")
    asked = {name: getattr(options, name) for name in names}
    asked |= {"mapping": options.mapping} if options.mapping else {}
    _show_import(options, the_project(options).import_file(options.file, tell=progress("import"), **asked))


def run_scores(options: Options) -> None:
    names = ("name", "fingerprint", "scale", "aggregation", "learned_from", "dry_run", "skip_faulty")
    asked = {name: getattr(options, name) for name in names}
    _show_import(options, the_project(options).import_scores(options.file, tell=progress("scores"), **asked))


def _show_import(options: Options, job: Any) -> None:
    if options.dry_run and job["report"]["faults"]["total"]:
        raise Faulty("check found faults and", job)
    (print_json if options.json else print_import)(job)


def run_labels(options: Options) -> None:
    project = the_project(options)
    filters = {"rounds": options.rounds} if options.rounds else {}
    asked: dict[str, Any] = {"filters": filters, "switches": dict(options.switch), "tell": progress("export")}
    asked |= {"container": options.container, "gzip": options.gzip}
    export = project.export(options.format, **asked)
    rows = count_in(export, "rows", project.site.http.url)
    path = project.download(export, options.output)
    size = f"{rows:,} rows in {path}, {export['bytes']:,} bytes"
    said = [f"Export {export['id']}: {size}, sha256 {export['sha256']}", *without_rows(export)]
    show(options, export, "\n".join(said))


def run_rounds(options: Options) -> None:
    found = the_project(options).rounds()
    if options.json:
        print_json(found)
    else:
        print_rows((one["id"], one["number"], one["status"], one["name"]) for one in found)


def run_open(options: Options) -> None:
    asked: dict[str, Any] = {"name": options.name, "overlap": options.overlap, "tell": progress("round")}
    if chosen := _filter_of(options):
        asked |= {"source": "filter", "filter": chosen}
    if options.sample:
        asked |= {"source": "sample", "sample_size": options.sample}
    _show_round(options, the_project(options).open_round(**asked))


def run_start(options: Options) -> None:
    asked = {name: getattr(options, name) for name in ("prm", "k", "mode", "name", "overlap")}
    asked["filter"] = _filter_of(options)
    _show_round(options, the_project(options).start_round(tell=progress("round"), **asked))


def run_publish(options: Options) -> None:
    _show_round(options, any_project(options).publish_round(options.round))


def run_close(options: Options) -> None:
    _show_round(options, any_project(options).close_round(options.round))


def run_wait(options: Options) -> None:
    until = tuple(options.until or ("closed",))
    found = any_project(options).wait_for_round(options.round, until, seconds=options.timeout, tell=progress("round"))
    _show_round(options, found)


def _show_round(options: Options, found: Any) -> None:
    tasks = found["counts"]["tasks"]
    show(options, found, f"Round {found['number']} (id {found['id']}) is {found['status']}: {tasks:,} tasks.")


def run_prms(options: Options) -> None:
    found = the_project(options).prms()
    if options.json:
        print_json(found)
    else:
        print_rows((one["id"], one["kind"], one["status"], f"{one['scored']:,} scored", one["name"]) for one in found)


def run_train(options: Options) -> None:
    asked = {"base": options.base, "method": options.method, "name": options.name, "tell": progress("training")}
    run = the_project(options).train(options.rounds, **asked)
    prm = run["prm"]
    show(options, run, f"Trained on {run['labels']:,} labels: PRM {prm['id'] if prm else 'none'}.")


def run_api(options: Options) -> None:
    print_json(the_site(options).call(options.method, options.path, options.body))


if __name__ == "__main__":
    sys.exit(main())
