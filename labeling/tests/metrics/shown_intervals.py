"""Every figure with an interval in an answer of the API, and whether the data allow that interval."""

import csv
import io
import re
from collections.abc import Iterator
from typing import Any

from labeling.statistics.intervals import FEWEST_CLUSTERS, Z
from labeling.tests.accounts import Browser
from labeling.tests.conformance import document, template_of

Figures = list[tuple[str, dict[str, Any]]]
SHARES = {"accuracy", "first_error_accuracy", "accuracy_on_erroneous", "accuracy_on_error_free", "lowest_last_share"}
SHARES |= {"lucky_caught_share", "exact", "within_one", "has_error", "right", "oracle", "majority", "random"}
CARD_ROW = re.compile(r"\| ([^|]+?) \|.* (-?\d+\.\d+) to (-?\d+\.\d+) \|")


class Walk:
    """What was read in projects, by their number of labels: the addresses, the names of the figures with an interval,
    and the faults as sentences.
    """

    def __init__(self) -> None:
        self.wrong: list[str] = []
        self.shown: dict[int, set[str]] = {}
        self.read: set[str | None] = set()

    def look_at(self, number: int, browser: Browser, path: str, *, or_not: bool = False) -> bool:
        """Return whether an address in a project of `number` labels answers with figures. `or_not`: it may not be
        readable, or need more parameters.
        """
        shown = self.shown.setdefault(number, set())
        response = browser.send("GET", f"/api/{path}")
        if or_not and response.status_code in (400, 405):
            return False
        assert response.status_code == 200, (path, response.content[:300])
        plain = path.split("?")[0]
        self.read.add(template_of(f"/api/{plain}"))
        figures = figures_in(response)
        shown |= {f"{plain} {name}" for name, found in figures if found["low"] is not None}
        self.wrong += [f"{number} labels: {path} {name}: {found}" for name, found in figures if faulty(name, found)]
        return bool(figures)


def figures_in(response: Any) -> Figures:
    """Return every figure with an interval in an answer."""
    if response["Content-Type"].startswith("text/csv"):
        return list(rows_of(response.getvalue().decode()))
    return [*intervals_in(response.json()), *in_card(response.json())]


def may_show_intervals() -> set[str]:
    """Return the readable addresses whose answers may contain a figure with an interval, by the API's document."""
    parts = document()["components"]["schemas"]

    def holds(shape: Any, above: frozenset[str]) -> bool:
        if isinstance(shape, list):
            return any(holds(one, above) for one in shape)
        if not isinstance(shape, dict):
            return False
        name = str(shape.get("$ref", "")).rpartition("/")[2]
        if name and name not in above and holds(parts[name], above | {name}):
            return True
        return {"low", "high"} <= shape.get("properties", {}).keys() or any(holds(one, above) for one in shape.values())

    readable = {
        path: methods["get"]["responses"]["200"]
        for path, methods in document()["paths"].items()
        if "get" in methods and "200" in methods["get"]["responses"]
    }
    return {path for path, answer in readable.items() if holds(answer, frozenset())}


def intervals_in(answer: Any, name: str = "") -> Iterator[tuple[str, dict[str, Any]]]:
    """Yield every figure with an interval in an answer, by its name."""
    if isinstance(answer, dict):
        name = str(answer["name"]) if isinstance(answer.get("name"), str) and "low" in answer else name
        if {"low", "high"} <= answer.keys():
            yield name, answer
        for key, inner in answer.items():
            yield from intervals_in(inner, key)
    if isinstance(answer, list):
        for inner in answer:
            yield from intervals_in(inner, name)


def rows_of(text: str) -> Iterator[tuple[str, dict[str, Any]]]:
    """Do the same for a table with columns `low` and `high`, or several groups of them (`gold low`, `gold high`, …)."""
    for row in csv.DictReader(io.StringIO(text)):
        for column in row:
            if column == "low" or column.endswith(" low"):
                low, high = (row[column], row[column.removesuffix("low") + "high"])
                ends = [float(end) if end not in ("", "n/a") else None for end in (low, high)]
                yield row.get("figure") or column, {"low": ends[0], "high": ends[1]}


def in_card(answer: Any) -> Figures:
    """Return the intervals in the tables of a release's card."""
    rows = CARD_ROW.findall(answer["markdown"]) if isinstance(answer, dict) and "markdown" in answer else []
    return [(name, {"low": float(low), "high": float(high)}) for name, low, high in rows]


def faulty(name: str, found: dict[str, Any]) -> bool:
    """Return whether the data do not allow an interval: it has width zero, rests on too few problems or traces,
    excludes its figure, or is narrower than that of as many independent trials.
    """
    low, high, value = found["low"], found["high"], found.get("value", found.get("share"))
    if low is None or high is None:
        unexplained = value is not None and "clusters" in found and found["no_interval"] is None
        return unexplained or low is not high
    few = found.get("clusters") is not None and found["clusters"] < FEWEST_CLUSTERS
    share = name in SHARES and "ahead" not in found and value is not None
    narrow = share and high - low < 0.999 * Z**2 / (found["n"] + Z**2)
    return few or narrow or high - low < 1e-6 or not (value is None or low <= value <= high)
