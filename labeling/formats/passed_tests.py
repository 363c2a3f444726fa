"""How many tests passed and failed, according to the recorded output of a test run. Nothing is run again. Pure."""

import re
from collections.abc import Callable

LOOKED_AT = 20_000  # characters at the end: every runner ends with its results
# The web process reads any output this way for everyone who looks at the run. So no pattern continues across line ends
# (\s would, and would start again at each of them), and a number has few digits.
N = r"[0-9]{1,9}"
PYTEST = re.compile(rf"^=*[ \t]*((?:{N} [a-z]+(?:, )?)+)[ \t]+in [0-9.:]+s?\b.*$", re.MULTILINE)
UNITTEST = re.compile(rf"^Ran ({N}) tests? in [0-9.]+s\s{{1,9}}(OK|FAILED)(?: \(([^)\n]*)\))?", re.MULTILINE)
CARGO = re.compile(rf"^test result: \w+\. ({N}) passed; ({N}) failed;", re.MULTILINE)
GO = re.compile(r"^[ \t]*--- (PASS|FAIL): ", re.MULTILINE)
JEST = re.compile(rf"^[ \t]*Tests:?[ \t]+((?:{N} [a-z]+(?:, | \| )?)+)[ \t]*(?:\({N}\))?[ \t\r]*$", re.MULTILINE)
MAVEN = re.compile(
    rf"^(?:\[\w+\] )?Tests run: ({N}), Failures: ({N}), Errors: ({N})(?:, Skipped: ({N}))?", re.MULTILINE
)
COLOURS = re.compile(r"\x1b\[[0-9;]*m")
Found = tuple[int, int] | None


def passed_and_failed(text: str) -> dict[str, int] | None:
    """Return `passed` and `failed` of the last test run in the text; None if it contains none."""
    end = COLOURS.sub("", text[-LOOKED_AT:])
    for read in READERS:
        found = read(end)
        if found is not None and found != (0, 0):
            return {"passed": found[0], "failed": found[1]}
    return None


def _counted(words: str) -> Found:
    """Return the counts in a text such as "2 failed, 3 passed"."""
    counts = {word: int(number) for number, word in re.findall(rf"({N}) ([a-z]+)", words)}
    if not counts.keys() & {"passed", "failed", "error", "errors"}:
        return None
    return counts.get("passed", 0), counts.get("failed", 0) + counts.get("error", 0) + counts.get("errors", 0)


def _last(pattern: re.Pattern[str]) -> Callable[[str], Found]:
    def read(text: str) -> Found:
        found = list(pattern.finditer(text))
        return _counted(found[-1][1]) if found else None

    return read


def _unittest(text: str) -> Found:
    found = list(UNITTEST.finditer(text))
    if not found:
        return None
    ran, bad = int(found[-1][1]), found[-1][3] or ""
    failed = sum(int(number) for number in re.findall(rf"(?:failures|errors)=({N})", bad))
    skipped = sum(int(number) for number in re.findall(rf"skipped=({N})", bad))
    return max(0, ran - failed - skipped), failed


def _summed(text: str) -> Found:
    """Return the sums over all crates: cargo reports each one."""
    found = CARGO.findall(text)
    return (sum(int(one) for one, _ in found), sum(int(one) for _, one in found)) if found else None


def _go(text: str) -> Found:
    found = GO.findall(text)
    return (found.count("PASS"), found.count("FAIL")) if found else None


def _maven(text: str) -> Found:
    found = list(MAVEN.finditer(text))
    if not found:
        return None
    ran, failures, errors, skipped = (int(one or 0) for one in found[-1].groups())
    return max(0, ran - failures - errors - skipped), failures + errors


READERS: tuple[Callable[[str], Found], ...] = (_last(PYTEST), _unittest, _summed, _last(JEST), _maven, _go)
