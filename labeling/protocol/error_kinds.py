"""Kinds of mistakes, in lists that are known by name and version. Pure.

A label keeps a kind as `scheme:version:code`. A list is never edited: a change is the next version, and the labels of
the one before keep their meaning. `maths` follows the categories of PRMBench (arXiv 2501.03124), seen from the step
that is wrong; `trail` the leaves of TRAIL (2505.08638); `mast` the modes of MAST (2503.13657).
"""

import re
from collections.abc import Iterable
from typing import NamedTuple

OWN = "own"  # the list that a project writes itself
STORED = re.compile(r"([a-z]{2,12}):([1-9]\d{0,5}):([A-Za-z0-9._-]{1,40})")


class KindParts(NamedTuple):
    """What a label says as `scheme:version:code`, in its parts."""

    scheme: str
    scheme_version: int
    code: str


def kind_parts(stored: str) -> KindParts:
    """The parts of a kind that a label keeps."""
    scheme, version, code = stored.split(":", 2)
    return KindParts(scheme, int(version), code)


class ErrorKind(NamedTuple):
    """One kind of mistake: its code in the list, its name, and when it is the one to choose."""

    code: str
    title: str
    about: str = ""


class ErrorScheme(NamedTuple):
    """A list of kinds. `name` and `version` stand before the code of each in a label."""

    name: str
    version: int
    title: str
    kinds: tuple[ErrorKind, ...]

    def stored(self, code: str) -> str:
        """As a label keeps it."""
        return f"{self.name}:{self.version}:{code}"

    def holds(self, stored: str) -> bool:
        """Whether what a label says is a kind of this list and version."""
        return stored in {self.stored(kind.code) for kind in self.kinds}


def own_scheme(version: int, kinds: Iterable[ErrorKind]) -> ErrorScheme:
    """The list that a project wrote."""
    return ErrorScheme(OWN, version, "The project's own list", tuple(kinds))


MATHS = ErrorScheme(
    "maths",
    1,
    "Maths, after PRMBench",
    (
        ErrorKind("calculation", "Calculation", "Arithmetic or algebra comes out wrong."),
        ErrorKind("step_consistency", "Contradicts an earlier step", "It does not fit what was said or found before."),
        ErrorKind("empirical", "False fact", "Something about the world or a known result is stated wrongly."),
        ErrorKind(
            "domain",
            "Rule used where it does not hold",
            "A theorem outside its conditions.",
        ),
        ErrorKind(
            "prerequisite",
            "A condition is missing or misread",
            "What is given is left out or changed.",
        ),
        ErrorKind("deception", "Looks right, is subtly wrong", "A small change that is easily read over."),
        ErrorKind("circular", "Circular", "What is to be shown is taken as given."),
        ErrorKind("redundancy", "Repeats, or leads nowhere", "Nothing new comes of it."),
        ErrorKind("confidence", "Claimed without reason", "A guess is stated as certain."),
        ErrorKind("cases", "Cases left out or counted twice", "Not all solutions, or some twice."),
    ),
)
TRAIL = ErrorScheme(
    "trail",
    1,
    "Agents: TRAIL",
    (
        ErrorKind("language_only", "Made up in words", "A claim that nothing seen so far supports."),
        ErrorKind("tool_related", "Made up about a tool", "A tool, a call or a result that does not exist."),
        ErrorKind("poor_retrieval", "Poor information retrieval", "Searched for the wrong thing, or not enough."),
        ErrorKind("tool_output", "Tool output misread"),
        ErrorKind("problem_identification", "Problem identified wrongly"),
        ErrorKind("tool_selection", "Wrong tool chosen"),
        ErrorKind("formatting", "Formatting error"),
        ErrorKind("instruction", "Instruction not followed"),
        ErrorKind("tool_definition", "Tool defined wrongly"),
        ErrorKind("environment", "Environment set up wrongly"),
        ErrorKind("rate_limiting", "Rate limit"),
        ErrorKind("authentication", "Authentication error"),
        ErrorKind("service", "Service error"),
        ErrorKind("not_found", "Resource not found"),
        ErrorKind("exhaustion", "Resources exhausted"),
        ErrorKind("timeout", "Timeout"),
        ErrorKind("context", "Context handled badly", "Something known earlier is forgotten."),
        ErrorKind("resource_abuse", "Resources abused", "The same call again and again."),
        ErrorKind("goal_deviation", "Goal deviation"),
        ErrorKind("orchestration", "Tasks orchestrated badly"),
    ),
)
MAST = ErrorScheme(
    "mast",
    1,
    "Agents: MAST",
    (
        ErrorKind("1.1", "Disobeys the task"),
        ErrorKind("1.2", "Disobeys its role"),
        ErrorKind("1.3", "Repeats a step"),
        ErrorKind("1.4", "Loses the history"),
        ErrorKind("1.5", "Does not know when to stop"),
        ErrorKind("2.1", "Resets the conversation"),
        ErrorKind("2.2", "Does not ask"),
        ErrorKind("2.3", "Strays from the task"),
        ErrorKind("2.4", "Withholds information"),
        ErrorKind("2.5", "Ignores another agent's input"),
        ErrorKind("2.6", "Reasons one thing, does another"),
        ErrorKind("3.1", "Ends too early"),
        ErrorKind("3.2", "Does not verify, or not all"),
        ErrorKind("3.3", "Verifies wrongly"),
    ),
)
SCHEMES: dict[str, ErrorScheme] = {scheme.name: scheme for scheme in (MATHS, TRAIL, MAST)}
