"""The questions that people answer for a release's card, because no table has the answers.

A blank answer prevents the release; "unknown" is a valid answer.
"""

import re
from collections.abc import Mapping, Sequence
from typing import NamedTuple

from labeling.formats.export_config import ROLES, STATEMENTS, UNKNOWN

MOST_CHARACTERS = 10_000
NAMES_LISTED = 10
ANNOTATORS = ("expert-generated", "crowdsourced", "machine-generated", "found", "other")
# Licences that the Hugging Face Hub knows by these names. Any other is written as `other`, with its name next to it.
LICENCES = {
    "cc0-1.0": "https://creativecommons.org/publicdomain/zero/1.0/",
    "cc-by-4.0": "https://creativecommons.org/licenses/by/4.0/",
    "cc-by-sa-4.0": "https://creativecommons.org/licenses/by-sa/4.0/",
    "cc-by-nc-4.0": "https://creativecommons.org/licenses/by-nc/4.0/",
    "cc-by-nc-sa-4.0": "https://creativecommons.org/licenses/by-nc-sa/4.0/",
    "odc-by": "https://opendatacommons.org/licenses/by/1-0/",
    "odbl": "https://opendatacommons.org/licenses/odbl/1-0/",
    "apache-2.0": "https://www.apache.org/licenses/LICENSE-2.0",
    "mit": "https://opensource.org/license/mit",
}
Part = str


class Question(NamedTuple):
    """A question: the name its answer is stored under, the texts for people, and its part of the card."""

    name: str
    title: str
    note: str
    part: Part
    choices: tuple[str, ...] = ()
    long: bool = False


PUBLICATION, ROLE, STATEMENT, DATASHEET = "publication", "roles", "statements", "datasheet"
OVERLAP = Question(
    "overlap",
    "Which parts are held out, and why are they released anyway?",
    "The check found held-out texts. Remove their labels, or explain why they stay.",
    DATASHEET,
    long=True,
)
QUESTIONS = (
    Question("licence", "Licence of the labels", "Such as cc-by-4.0. The texts keep their own.", PUBLICATION),
    Question("language", "Language", "Language codes, such as en, or en, de.", PUBLICATION),
    Question("annotators", "Kind of labelers", "The category used by the Hub.", PUBLICATION, ANNOTATORS),
    Question("contact", "Contact", "A name, a page or an address that will be published.", PUBLICATION),
    *(Question(name, title, "", ROLE) for name, title in ROLES.items()),
    *(Question(name, title, "", STATEMENT, long=True) for name, title in STATEMENTS.items()),
    Question("purpose", "What is it for, and what is it not for?", "", DATASHEET, long=True),
    Question("people", "Who are the labelers, and how were they found and paid?", "", DATASHEET, long=True),
    Question("personal", "Does it contain information about people?", "", DATASHEET, long=True),
    Question("known_errors", "Which errors are known?", "Besides those that the card counts.", DATASHEET, long=True),
)
LANGUAGE = re.compile(r"[a-z]{2,3}(-[A-Za-z0-9]{2,8})*")
BY_NAME = {question.name: question for question in (*QUESTIONS, OVERLAP)}


def questions_for(overlapping: int) -> tuple[Question, ...]:
    """Return the questions for a release with this number of held-out texts."""
    return (*QUESTIONS, OVERLAP) if overlapping else QUESTIONS


def names_note(names: Sequence[str]) -> str:
    """Return a note that imported labelers are published by name; empty if there are none."""
    if not names:
        return ""
    listed = ", ".join(names[:NAMES_LISTED]) + (
        f" and {len(names) - NAMES_LISTED} more" if names[NAMES_LISTED:] else ""
    )
    return f"Published under the names from their imports, not under salted ids: {listed}."


def languages_in(said: str) -> list[str]:
    """Return the BCP 47 codes that an answer lists; none if it contains anything else."""
    codes = [code.strip() for code in said.split(",")]
    return codes if all(LANGUAGE.fullmatch(code) for code in codes) else []


def answer_faults(answers: Mapping[str, str]) -> dict[str, list[str]]:
    """Return what is wrong with answers as they are typed, by question. Blank is not wrong yet."""
    faults = {}
    for name, said in answers.items():
        question = BY_NAME.get(name)
        if question is None:
            faults[name] = [f"There is no such question. The questions are {', '.join(BY_NAME)}."]
        elif len(said) > MOST_CHARACTERS:
            faults[name] = [f"Use at most {MOST_CHARACTERS:,} characters."]
        elif question.choices and said and said not in (*question.choices, UNKNOWN):
            faults[name] = [f"Choose one of {', '.join(question.choices)}, or {UNKNOWN}."]
        elif name == "language" and said.strip() not in ("", UNKNOWN) and not languages_in(said):
            faults[name] = [f"Give language codes, such as en, or en, de; or {UNKNOWN}."]
        elif name == "licence" and len(said.strip().splitlines()) > 1:
            faults[name] = ["Name the licence in one line, such as cc-by-4.0."]
    return faults


def blank_faults(answers: Mapping[str, str], overlapping: int) -> dict[str, list[str]]:
    """Return the unanswered questions, which prevent a draft from being released."""
    asked = questions_for(overlapping)
    blank = ['Answer this question, or enter "unknown". It cannot be blank.']
    return {question.name: blank for question in asked if not answers.get(question.name, "").strip()}
