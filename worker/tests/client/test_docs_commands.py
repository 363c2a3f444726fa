"""Every `stepmark …` command in the documentation is understood."""

import argparse
import re
import shlex
from collections.abc import Iterator
from pathlib import Path

import pytest
from django.conf import settings

from stepmark.cli import parser

ROOT = Path(settings.BASE_DIR)
PAGES = [ROOT / "README.md", ROOT / "client/README.md", *sorted(ROOT.glob("docs/*.md"))]
FENCED = re.compile(r"^```(?:sh|bash|console)\n(.*?)^```", re.M | re.S)
NAMED = re.compile(r"`(stepmark [a-z][^`]*)`")


def typed() -> Iterator[tuple[str, str]]:
    """Yield page and line of each command in a shell block."""
    for page in PAGES:
        for block in FENCED.findall(page.read_text()):
            lines = block.replace("\\\n", " ").splitlines()
            yield from ((page.name, line.strip()) for line in lines if line.strip().startswith("stepmark "))


def named() -> Iterator[str]:
    """Yield commands named in sentences; the page of commands is generated from the parser itself."""
    for page in PAGES:
        if page.name != "commands.md":
            yield from NAMED.findall(page.read_text())


TYPED, SAID = list(typed()), sorted(set(named()))


@pytest.mark.parametrize(("page", "line"), TYPED, ids=[f"{page}: {line[:40]}" for page, line in TYPED])
def test_a_command_of_the_docs_is_understood(page, line, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    words = shlex.split(line, comments=True)[1:]
    for file in words:
        if file.endswith(".json"):
            Path(file).write_text("{}")
    assert callable(parser().parse_args(words).run)


def words_known(found: argparse.ArgumentParser, words: list[str]) -> bool:
    """Return whether the words are a command or the beginning of one, and each option belongs to it."""
    groups = [one for one in found._actions if isinstance(one, argparse._SubParsersAction)]
    if groups and words:
        return words[0] in groups[0].choices and words_known(groups[0].choices[words[0]], words[1:])
    return all(word in found._option_string_actions for word in words if word.startswith("--"))


@pytest.mark.parametrize("said", SAID)
def test_a_command_that_a_sentence_names_is_there(said):
    assert words_known(parser(), shlex.split(said)[1:])


def test_there_are_commands_in_the_docs():
    assert {"README.md", "prm.md"} <= {page for page, _ in TYPED}
    assert len(TYPED) > 8
