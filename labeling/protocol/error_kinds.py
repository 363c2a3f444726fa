"""Kinds of mistakes, in lists identified by name and version. Pure.

A label stores a kind as `scheme:version:code`. The codes and meanings of a list never change: a change makes the next
version, and labels made with the old one keep their meaning. `maths` follows the categories of PRMBench (arXiv
2501.03124), seen from the wrong step; `trail` the leaves of TRAIL (2505.08638); `mast` the modes of MAST (2503.13657).
"""

import re
from collections.abc import Iterable
from typing import NamedTuple

OWN = "own"  # the list that a project writes
STORED = re.compile(r"([a-z]{2,12}):([1-9][0-9]{0,5}):([A-Za-z0-9._-]{1,40})")


class KindParts(NamedTuple):
    """The parts of a label's `scheme:version:code`."""

    scheme: str
    scheme_version: int
    code: str


def kind_parts(stored: str) -> KindParts:
    """Split a kind as a label stores it."""
    scheme, version, code = stored.split(":", 2)
    return KindParts(scheme, int(version), code)


class ErrorKind(NamedTuple):
    """One kind of mistake: its code in the list, its name, and when to choose it."""

    code: str
    title: str
    about: str = ""


class ErrorScheme(NamedTuple):
    """A list of kinds. In a label, `name` and `version` come before the code of each."""

    name: str
    version: int
    title: str
    kinds: tuple[ErrorKind, ...]

    def stored(self, code: str) -> str:
        """Return the kind as a label stores it."""
        return f"{self.name}:{self.version}:{code}"

    def holds(self, stored: str) -> bool:
        """Whether a stored kind belongs to this list and version."""
        return stored in {self.stored(kind.code) for kind in self.kinds}


def own_scheme(version: int, kinds: Iterable[ErrorKind]) -> ErrorScheme:
    """Return a project's own list."""
    return ErrorScheme(OWN, version, "The project's own list", tuple(kinds))


MATHS = ErrorScheme(
    "maths",
    1,
    "Maths, after PRMBench",
    (
        ErrorKind("calculation", "Calculation", "Arithmetic or algebra comes out wrong."),
        ErrorKind("step_consistency", "Contradicts an earlier step", "It does not fit what was said or found earlier."),
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
        ErrorKind("deception", "Looks right, is subtly wrong", "A small change that is easy to overlook."),
        ErrorKind("circular", "Circular", "What is to be proved is assumed."),
        ErrorKind("redundancy", "Repeats, or leads nowhere", "It adds nothing new."),
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
        ErrorKind("tool_output", "Tool output misread", "A result says one thing, the agent reads another."),
        ErrorKind("problem_identification", "Problem identified wrongly", "The problem to be solved is misunderstood."),
        ErrorKind("tool_selection", "Wrong tool chosen", "Another available tool was meant for this."),
        ErrorKind("formatting", "Formatting error", "Output in a form that its reader cannot use."),
        ErrorKind("instruction", "Instruction not followed", "What was asked for is left out or done differently."),
        ErrorKind("tool_definition", "Tool defined wrongly", "The tool's description itself is wrong or missing."),
        ErrorKind("environment", "Environment set up wrongly", "A permission, a file or a package is missing."),
        ErrorKind("rate_limiting", "Rate limit", "A service refuses because it was called too often."),
        ErrorKind("authentication", "Authentication error", "A service does not accept the caller's identity."),
        ErrorKind("service", "Service error", "A service itself fails."),
        ErrorKind("not_found", "Resource not found", "What was requested does not exist."),
        ErrorKind("exhaustion", "Resources exhausted", "Memory, disk or budget is used up."),
        ErrorKind("timeout", "Timeout", "It took longer than allowed."),
        ErrorKind("context", "Context handled badly", "Something known earlier is forgotten."),
        ErrorKind("resource_abuse", "Resources abused", "The same call again and again. Mark the last of them."),
        ErrorKind("goal_deviation", "Goal deviation", "It does something other than the task."),
        ErrorKind("orchestration", "Tasks orchestrated badly", "Sub-tasks or agents are not coordinated."),
    ),
)
MAST = ErrorScheme(
    "mast",
    1,
    "Agents: MAST",
    (
        ErrorKind("1.1", "Disobeys the task", "A condition of the task is not met."),
        ErrorKind("1.2", "Disobeys its role", "One agent acts as another one."),
        ErrorKind("1.3", "Repeats a step", "Something already done is done again without need."),
        ErrorKind("1.4", "Loses the history", "It continues as if the latest turns had not happened."),
        ErrorKind("1.5", "Does not know when to stop", "The agreed end is not recognised."),
        ErrorKind("2.1", "Resets the conversation", "It starts over without a reason, and loses what was found."),
        ErrorKind("2.2", "Does not ask", "Something is unclear or missing, and it guesses."),
        ErrorKind("2.3", "Strays from the task", "Turn by turn it leads somewhere else."),
        ErrorKind("2.4", "Withholds information", "It knows what another agent needs, but does not say so."),
        ErrorKind("2.5", "Ignores another agent's input", "What another agent found or advised is ignored."),
        ErrorKind("2.6", "Reasons one thing, does another", "The thought and the action that follows do not match."),
        ErrorKind("3.1", "Ends too early", "Before the task is done or the needed information was exchanged."),
        ErrorKind("3.2", "Does not verify, or not all", "The result is not checked, or only in part."),
        ErrorKind("3.3", "Verifies wrongly", "There is a check, but it lets a mistake through."),
    ),
)
SCHEMES: dict[str, ErrorScheme] = {scheme.name: scheme for scheme in (MATHS, TRAIL, MAST)}
