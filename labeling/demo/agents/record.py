"""Records the runs of the demo's agent project: `python record.py runs.jsonl`

The agent is a script: its messages and tool calls are written below, and no model runs. Its tools are real: files are
written, tests run and a small shop answers, in a temporary folder, and their actual results are recorded. The runs are
ATIF 1.7, one per line. Times come from a clock that advances two seconds per message, so a new recording is identical,
except for how a newer Python words a failed test.
"""

import json
import re
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterator
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

Json = dict[str, Any]
Tool = Callable[..., str]
BEGAN = datetime(2026, 11, 20, 9, 0, tzinfo=UTC)
SHOWN_AS = "/repo"  # shown in place of the folder's real name
SLUG = '''"""Addresses of pages from their titles."""

import re


def slug(title: str, longest: int = 40) -> str:
    """Return the title in lower case, with one hyphen between words."""
    words = re.findall(r"[a-z0-9]+", title)
    return "-".join(words)[:longest]
'''
TESTS = """import unittest

from slug import slug


class Slugs(unittest.TestCase):
    def test_words_are_separated_by_hyphens(self):
        self.assertEqual(slug("a new page"), "a-new-page")

    def test_capitals_become_lower_case(self):
        self.assertEqual(slug("Hello World"), "hello-world")

    def test_a_long_title_ends_with_a_whole_word(self):
        self.assertEqual(slug("one two three", longest=9), "one-two")


if __name__ == "__main__":
    unittest.main()
"""
SALES = """day;shop;amount
2026-11-02;Graz;1.204,50
2026-11-02;Linz;310,00
2026-11-03;Graz;98,90
2026-11-03;Linz;2.000,00
2026-11-04;Graz;47,10
2026-11-04;Linz;512,25
"""


class Recorder:
    """A run being recorded: the messages, and the tools' results."""

    def __init__(self, name: str, task: str, tools: dict[str, Tool]) -> None:
        self.name, self.tools, self.now, self.calls = name, tools, BEGAN, 0
        self.steps: list[Json] = []
        self._add("user", task)

    def _add(self, source: str, message: str, **more: Any) -> None:
        self.now += timedelta(seconds=2)
        step = {"step_id": len(self.steps) + 1, "source": source, "timestamp": self.now.isoformat(), "message": message}
        self.steps.append({**step, **more})

    def says(self, message: str, *calls: tuple[str, Json]) -> list[str]:
        """Add a message of the agent with its tool calls; return their results."""
        made, results = [], []
        for tool, arguments in calls:
            self.calls += 1
            ident = f"{self.name}-{self.calls}"
            made.append({"tool_call_id": ident, "function_name": tool, "arguments": arguments})
            results.append({"source_call_id": ident, "content": self.tools[tool](**arguments)})
        more = {"tool_calls": made, "observation": {"results": results}} if made else {}
        self._add("agent", message, **more)
        return [result["content"] for result in results]

    def trajectory(self) -> Json:
        """Return the run as ATIF."""
        agent = {"name": "scripted-agent", "version": "1", "model_name": "a script, no model"}
        return {
            "schema_version": "ATIF-v1.7",
            "session_id": f"demo-{self.name}",
            "trajectory_id": f"demo-{self.name}",
            "agent": agent,
            "steps": self.steps,
        }


def file_tools(folder: Path) -> dict[str, Tool]:
    """Return tools that read, change and run what is in a folder, and nothing else."""

    def place(path: str) -> Path:
        found = (folder / path).resolve()
        if not found.is_relative_to(folder.resolve()):
            raise ValueError(f"{path} is outside the folder")
        return found

    def read_file(path: str) -> str:
        return place(path).read_text(encoding="utf-8")

    def str_replace(path: str, old_str: str, new_str: str) -> str:
        text = place(path).read_text(encoding="utf-8")
        if text.count(old_str) != 1:
            return f"Nothing changed: old_str occurs {text.count(old_str)} times, but must occur once."
        place(path).write_text(text.replace(old_str, new_str), encoding="utf-8")
        return f"{path} was changed."

    def python(arguments: list[str]) -> str:
        done = subprocess.run(
            [sys.executable, "-B", *arguments], cwd=folder, capture_output=True, text=True, timeout=60, check=False
        )
        said = (done.stdout + done.stderr).replace(str(folder.resolve()), SHOWN_AS).replace(str(folder), SHOWN_AS)
        said = re.sub(r"in \d+\.\d+s", "in 0.001s", said)
        return f"{said.rstrip()}\n[exit status {done.returncode}]"

    def bash(command: str) -> str:
        if command == "ls":
            return "\n".join(sorted(one.name for one in folder.iterdir()))
        return python(command.split()[1:])

    return {
        "read_file": read_file,
        "str_replace": str_replace,
        "bash": bash,
        "python": lambda code: python(["-c", code]),
    }


def failing_test(folder: Path) -> Recorder:
    """A test fails; the first change fixes half of it, the second the rest."""
    (folder / "slug.py").write_text(SLUG, encoding="utf-8")
    (folder / "test_slug.py").write_text(TESTS, encoding="utf-8")
    run = Recorder(
        "failing-test", "The tests of slug.py fail. Make them pass without changing them.", file_tools(folder)
    )
    test = ("bash", {"command": "python -m unittest test_slug"})
    run.says("I list the files and run the tests.", ("bash", {"command": "ls"}), test)
    run.says("Two of the three fail. I read the code.", ("read_file", {"path": "slug.py"}))
    change = {"path": "slug.py", "old_str": '[a-z0-9]+", title)', "new_str": '[a-z0-9]+", title.lower())'}
    run.says("The pattern does not match capitals: the title has to be lowercased first.", ("str_replace", change))
    run.says("I run the tests again.", test)
    whole = "return address if len(address) <= longest else address[:longest].rsplit('-', 1)[0]"
    longer = f'address = "-".join(words)\n    {whole}'
    cut = {"path": "slug.py", "old_str": 'return "-".join(words)[:longest]', "new_str": longer}
    run.says(
        "What remains is the cut in the middle of a word. It has to move back to the last hyphen.", ("str_replace", cut)
    )
    run.says("I run them once more to check that they all pass.", test)
    run.says("All three tests pass. slug() lowercases the title first, and cuts a long address before a word.")
    return run


def wrong_tool(folder: Path) -> Recorder:
    """Asked whether an order may be refunded, the agent refunds it, and then claims that it only looked."""
    orders: dict[str, Json] = {
        "A-1042": {"customer": "Mira Ortner", "total": 89.0, "days_since_delivery": 41, "status": "delivered"}
    }
    ledger: list[str] = []

    def read_policy(topic: str) -> str:
        return "Refunds: within 30 days of delivery, later by the shop's manager. Never refund to answer a question."

    def get_order(order_id: str) -> str:
        return json.dumps(orders[order_id]) if order_id in orders else f"There is no order {order_id}."

    def issue_refund(order_id: str, amount: float) -> str:
        orders[order_id]["status"] = "refunded"
        ledger.append(order_id)
        return json.dumps({"order_id": order_id, "refunded": amount, "reference": f"R-{len(ledger):04}"})

    tools: dict[str, Tool] = {"read_policy": read_policy, "get_order": get_order, "issue_refund": issue_refund}
    task = "Could order A-1042 still be refunded? I only want to know; I have not decided yet."
    run = Recorder("wrong-tool", task, tools)
    run.says("I look up the shop's rules.", ("read_policy", {"topic": "refunds"}))
    run.says("Let me check the order.", ("issue_refund", {"order_id": "A-1042", "amount": 89.0}))
    run.says("The amount is 89.00. I check when it was delivered.", ("get_order", {"order_id": "A-1042"}))
    run.says("No: it was delivered 41 days ago, and refunds end after 30. I only looked it up, nothing was changed.")
    return run


def recovery(folder: Path) -> Recorder:
    """A sum is computed with the wrong decimal mark; the agent checks it against the rows and corrects it."""
    (folder / "sales.csv").write_text(SALES, encoding="utf-8")
    run = Recorder("recovery", "What did the shop in Graz sell in sales.csv, in euros?", file_tools(folder))
    run.says("I look at the file.", ("read_file", {"path": "sales.csv"}))
    wrong = (
        "import csv\n"
        "rows = list(csv.DictReader(open('sales.csv'), delimiter=';'))\n"
        "print(sum(float(r['amount'].replace(',', '')) for r in rows if r['shop'] == 'Graz'))"
    )
    run.says("I sum the amounts for Graz.", ("python", {"code": wrong}))
    check = (
        "import csv\n"
        "for r in csv.DictReader(open('sales.csv'), delimiter=';'):\n"
        "    print(r['shop'], r['amount'], float(r['amount'].replace(',', '')))"
    )
    run.says(
        "14,601 for three days looks far too high. I print each amount next to the number I read.",
        ("python", {"code": check}),
    )
    right = wrong.replace("replace(',', '')", "replace('.', '').replace(',', '.')")
    run.says(
        "The file has a comma before the cents, and I removed it. I sum again, removing the points instead.",
        ("python", {"code": right}),
    )
    run.says("The shop in Graz sold 1,350.50 euros: 1,204.50, 98.90 and 47.10.")
    return run


def runs() -> Iterator[Json]:
    """Yield each run, recorded now in its own folder."""
    for record in (failing_test, wrong_tool, recovery):
        with tempfile.TemporaryDirectory() as folder:
            yield record(Path(folder)).trajectory()


def main(out: str) -> None:
    """Write the runs to a file."""
    Path(out).write_text("".join(json.dumps(run, ensure_ascii=False) + "\n" for run in runs()), encoding="utf-8")


if __name__ == "__main__":
    main(*sys.argv[1:])
