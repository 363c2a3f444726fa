"""`stepmark releases`: from a draft to a pushed or downloaded release, and to what changed since another one."""

import argparse
from collections.abc import Callable
from pathlib import Path
from typing import Any

from stepmark.commands import (
    Options,
    any_project,
    command,
    json_object,
    named_value,
    of_project,
    show,
    the_project,
)
from stepmark.printing import print_json, print_rows, progress, say
from stepmark.releases import Releases

ONE = "Answer to a question, by the name in `releases show`. Repeatable."


def add_releases(commands: Any) -> None:
    """Add all commands of releases."""
    group = commands.add_parser("releases", help="Draft, check, release, compare, push and download releases.")
    releases = group.add_subparsers(metavar="COMMAND", required=True)
    of_project(releases, "list", run_list, "List a project's releases, newest first: id, state, status, name.")
    created = of_project(releases, "create", run_create, "Draft a release of exports and wait until it is checked.")
    created.add_argument("name", metavar="NAME", help="Name of the release. An existing name gets its next version.")
    created.add_argument("--export", dest="exports", type=int, action="append", required=True, metavar="ID")
    _of_release(releases, "show", run_show, "Show state, open questions, held-out overlaps and pushes.")
    card = _of_release(releases, "card", run_card, "Print the card as it is, or as it would be now.")
    card.add_argument("--output", "-o", metavar="FILE", type=Path, help="Write it to this file, with its front matter.")
    fill = _of_release(releases, "fill", run_fill, "Answer questions of a draft's card. Other answers stay.")
    fill.add_argument("--answer", action="append", default=[], metavar="NAME=TEXT", type=named_value, help=ONE)
    fill.add_argument("--answers", metavar="FILE", type=json_object, default={}, help='JSON: {"NAME": "TEXT"}.')
    fill.add_argument("--rest-unknown", action="store_true", help='Answer "unknown" to all unanswered questions.')
    _of_release(releases, "check", run_check, "Check a draft again.")
    _of_release(releases, "remove", run_remove, "Delete a draft. Its exports stay.")
    _of_release(releases, "publish", run_publish, "Release a draft permanently and wait until it is packed.")
    _of_release(releases, "repack", run_repack, "Pack a release again if packing failed or its files are gone.")
    withdrawn = _of_release(releases, "withdraw", run_withdraw, "Withdraw a release. Every later manifest says why.")
    withdrawn.add_argument("--because", required=True, metavar="TEXT")
    diff = _of_release(releases, "diff", run_diff, "Show what changed since the previous or another release.")
    diff.add_argument("--since", type=int, metavar="ID", help="Release to compare with. Default: the previous one.")
    diff.add_argument(
        "--output", "-o", metavar="FILE", type=Path, help="Write every changed label to this file, as CSV."
    )
    found = _of_release(releases, "find", run_find, "Find the labels that a row of a file was made from.")
    found.add_argument("row", metavar="ROW", help="The row as JSON, its line's SHA-256, or its number.")
    found.add_argument(
        "--file", default="", metavar="FILE", help="Such as data/neutral-train.jsonl. Default: the first file."
    )
    without = _of_release(releases, "without", run_without, "Draft the next version without one labeler's labels.")
    without.add_argument("labeler", metavar="LABELER", help="The labeler's id in the files.")
    push = _of_release(releases, "push", run_push, "Have a worker push a release and wait until it is done.")
    push.add_argument("target", metavar="PLACE", help="A target that the operator has configured; `show` lists them.")
    get = _of_release(releases, "download", run_download, "Download the zip and check it. Resumes a broken download.")
    get.add_argument("--output", "-o", metavar="FILE", type=Path, required=True)


def _of_release(commands: Any, name: str, run: Callable[[Options], None], about: str) -> argparse.ArgumentParser:
    made = command(commands, name, run, about)
    made.add_argument("release", metavar="RELEASE", type=int, help="The release's id, from `stepmark releases list`.")
    return made


def _releases(options: Options) -> Releases:
    return any_project(options).releases


def _title(release: Any) -> str:
    return f"{release['name']} v{release['version']} (id {release['id']})"


def run_list(options: Options) -> None:
    found = the_project(options).releases.all()
    if options.json:
        print_json(found)
    else:
        print_rows((one["id"], one["state"], one["status"], f"{one['name']} v{one['version']}") for one in found)


def run_create(options: Options) -> None:
    releases = the_project(options).releases
    _show(options, releases.create(options.name, options.exports, tell=progress("release")))


def run_show(options: Options) -> None:
    _show(options, _releases(options).get(options.release))


def _show(options: Options, release: Any) -> None:
    if options.json:
        print_json(release)
        return
    say(f"{_title(release)} is {release['state']}, {release['labels'] or 0:,} labels.")
    blank = [one["name"] for one in release["questions"] if not one["answer"].strip()]
    if release["state"] == "draft" and blank:
        say(f"Not answered: {', '.join(blank)}")
    found = release["overlaps"]
    if found and found["exact"] + found["near"]:
        say(f"Held out: {found['exact']:,} problems exactly, {found['near']:,} nearly.")
    if release["withdrawn_because"]:
        say(f"Withdrawn: {release['withdrawn_because']}")
    if release["targets"]:
        say(f"It may be pushed to: {', '.join(release['targets'])}")
    print_rows((push["target"], push["status"], push["address"] or push["error"]) for push in release["pushes"])


def run_card(options: Options) -> None:
    card = _releases(options).card(options.release)
    if options.output is None:
        show(options, card, card["markdown"])
        return
    options.output.write_text(f"---\n{card['front_matter']}---\n\n{card['markdown']}\n", encoding="utf-8")
    show(options, card, f"Written to {options.output}.")


def run_fill(options: Options) -> None:
    releases, answers = _releases(options), {**options.answers, **dict(options.answer)}
    if options.rest_unknown:
        asked = releases.get(options.release)["questions"]
        answers = {one["name"]: "unknown" for one in asked if not one["answer"].strip()} | answers
    _show(options, releases.answer(options.release, answers))


def run_check(options: Options) -> None:
    _show(options, _releases(options).check(options.release, tell=progress("release")))


def run_remove(options: Options) -> None:
    gone = _releases(options).remove(options.release)
    show(options, gone, f"Removed the draft {_title(gone)}.")


def run_publish(options: Options) -> None:
    _show(options, _releases(options).publish(options.release, tell=progress("release")))


def run_repack(options: Options) -> None:
    _show(options, _releases(options).repack(options.release, tell=progress("release")))


def run_withdraw(options: Options) -> None:
    _show(options, _releases(options).withdraw(options.release, options.because))


def run_diff(options: Options) -> None:
    releases = _releases(options)
    found = releases.diff(options.release, options.since)
    if options.output is not None:
        releases.diff_csv(options.release, options.output, options.since)
    totals = found["totals"]
    counted = f"{totals['added']:,} added, {totals['removed']:,} removed, {totals['changed']:,} changed"
    verdicts = f"{totals['verdicts']:,} with another verdict, {totals['same']:,} the same"
    show(options, found, f"{_title(found['after'])} since {_title(found['before'])}: {counted}, {verdicts}.")


def run_find(options: Options) -> None:
    found = _releases(options).find(options.release, options.row, options.file)
    where = f"Row {found['number']} of {found['file']} (export {found['export']}) was made from these labels:"
    show(options, found, " ".join([where, *map(str, found["labels"])]))


def run_without(options: Options) -> None:
    _show(options, _releases(options).without(options.release, options.labeler, tell=progress("release")))


def run_push(options: Options) -> None:
    push = _releases(options).push(options.release, options.target, tell=progress("push"))
    show(options, push, f"Pushed to {push['target']}: {push['address']}")


def run_download(options: Options) -> None:
    path = _releases(options).download(options.release, options.output)
    kept = {"file": str(path), "bytes": path.stat().st_size}
    show(options, kept, f"{path}, {kept['bytes']:,} bytes; every file in it matches the hash in its manifest.")
