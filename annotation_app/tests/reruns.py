"""pytest plugin: counts the tests that were run again, reports how many, and fails the run if there were too many.

A test that needs luck to pass is itself a fault: a rerun is for a loaded machine, not for a test that mostly fails.
"""

from collections.abc import Generator

import pytest

RERUNS_ALLOWED = 3
LONGEST = 1_000  # characters of an attempt's failure


def _reruns(config: pytest.Config) -> int:
    """Return how many reruns there were in all processes. An attempt that failed twice over counts once."""
    reporter = config.pluginmanager.get_plugin("terminalreporter")
    return len({(report.nodeid, report.rerun) for report in reporter.stats.get("rerun", [])}) if reporter else 0


def pytest_sessionfinish(session: pytest.Session) -> None:
    """Fail the run if there were too many. If something else failed, its exit status stays."""
    if session.exitstatus == pytest.ExitCode.OK and _reruns(session.config) > RERUNS_ALLOWED:
        session.exitstatus = pytest.ExitCode.TESTS_FAILED


@pytest.hookimpl(wrapper=True, tryfirst=True)
def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter) -> Generator[None]:
    """Print how many there were and why each attempt failed, which nothing else reports. This comes last, because of a
    long log people are shown the end.
    """
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
