"""docs/commands.md matches the commands' own help."""

import re

from annotation_app.commands_page import PAGE, commands_page


def test_the_page_of_commands_is_made_from_their_help():
    page = commands_page()
    assert page == PAGE.read_text(), "Run: make commands"
    for command in ("manage.py import_scores PROJECT FILE", "stepmark scores import PROJECT FILE", "stepmark login"):
        assert f"{command}`" in page


def test_every_option_of_a_command_says_what_it_does():
    [*silent] = re.findall(r"^\| `[^`]+` \| *\|$", commands_page(), re.MULTILINE)
    assert silent == []
