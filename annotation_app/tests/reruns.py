"""pytest plugin: counts the tests that were run again, says how many, and fails the run where there were too many.

What needs luck to pass is a fault of its own: a rerun is for a loaded machine, not for a test that mostly fails.
"""

from collections.abc import Generator

import pytest

RERUNS_ALLOWED = 3
LONGEST = 1_000  # characters of what an attempt died of


def _reruns(config: pytest.Config) -> int:
    """How often a test was run again, in whichever process. An attempt that failed twice over is one."""
    reporter = config.pluginmanager.get_plugin("terminalreporter")
    return len({(report.nodeid, report.rerun) for report in reporter.stats.get("rerun", [])}) if reporter else 0


def pytest_sessionfinish(session: pytest.Session) -> None:
    """Only where nothing else failed: what failed keeps its own status."""
    if session.exitstatus == pytest.ExitCode.OK and _reruns(session.config) > RERUNS_ALLOWED:
        session.exitstatus = pytest.ExitCode.TESTS_FAILED


@pytest.hookimpl(wrapper=True, tryfirst=True)
def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter) -> Generator[None]:
    """How many, and what each attempt died of, which nothing else tells: after all else, since of a long log people
    are shown the end."""
    yield
    reports = terminalreporter.stats.get("rerun", [])
    for report in reports:
        terminalreporter.write_line(f"An attempt of {report.nodeid} died of {_why(report)}")
    reruns = _reruns(terminalreporter.config)
    colour = {"red": True} if reruns > RERUNS_ALLOWED else {}
    terminalreporter.write_line(f"Run again: {reruns} times; more than {RERUNS_ALLOWED} fail the run.", **colour)
    for test in dict.fromkeys(report.nodeid for report in reports):
        terminalreporter.write_line(f"- {test}")


def _why(report: pytest.TestReport) -> str:
    crash = getattr(report.longrepr, "reprcrash", None)
    said = f"{crash.path}:{crash.lineno}: {crash.message}" if crash else str(report.longrepr)
    return said[:LONGEST]
