"""What the checks find in public files, `python -m bench.checked_arithmetic`: the tables of docs/machine-labels.md.

Two measurements: in files of ../shared/data with people's first errors, the steps up to that error; in GSM8K's model
solutions, where no first error is recorded, the traces by whether their final answer is right.
"""

import json
import sys
from collections import Counter
from collections.abc import Sequence
from pathlib import Path

from bench.active_learning import SHARED
from bench.machine_audit import FILES, read
from bench.markdown import put_between, table
from labeling.sources.verifier import FIRST, SECOND, VERSION, check

PAGE = Path(__file__).parents[1] / "docs/machine-labels.md"
BEGIN, END = "<!-- bench.checked_arithmetic -->\n", "<!-- /bench.checked_arithmetic -->\n"
CALCULATOR = "gsm8k_openai"
Row = tuple[str, ...]


def against_people(name: str) -> Row:
    """Return a file's counts up to the first error.

    Counted are the steps, the wrong ones, equations, steps with a false equation, steps with a number from nowhere, and
    how many of these two kinds are the first error.
    """
    counts: Counter[str] = Counter()
    for one in read(name):
        last = len(one.steps) if one.first_error < 0 else one.first_error + 1
        for place, step in enumerate(check(one.problem, one.steps)[:last]):
            is_wrong = place == one.first_error
            counts.update(steps=1, wrong=is_wrong, equations=step.equations)
            counts.update(false=bool(step.false), found=bool(step.false) and is_wrong)
            counts.update(nowhere=bool(step.from_nowhere), astray=bool(step.from_nowhere) and is_wrong)
    told = [f"{counts[what]:,}" for what in ("steps", "wrong", "equations", "false", "found", "nowhere", "astray")]
    return name, *told


def by_answer(version: str) -> Row:
    """Return the counts for traces with a calculator's marks.

    Counted are the equations, steps with a number from nowhere, and traces with a false equation by final answer.
    """
    counts: Counter[str] = Counter()
    for line in (SHARED / f"{CALCULATOR}.jsonl").read_text(encoding="utf-8").splitlines():
        row = json.loads(line)
        steps = check(row["problem"], row["steps"], version=version)
        answer = "right" if row["final_answer_correct"] else "wrong"
        counts.update({answer: 1, f"false {answer}": any(step.false for step in steps)})
        counts.update(equations=sum(step.equations for step in steps), nowhere=sum(bool(s.from_nowhere) for s in steps))
    false = [f"{counts[f'false {answer}']:,} of {counts[answer]:,}" for answer in ("wrong", "right")]
    return version, f"{counts['equations']:,}", f"{counts['nowhere']:,}", *false


def main(_: Sequence[str]) -> int:
    """Measure, and write both tables."""
    people = ("file", "steps", "wrong", "equations", "steps with a false one", "of these wrong",
              "steps with a number from nowhere", "of these wrong")  # fmt: skip
    answers = ("checks", "equations", "steps with a number from nowhere", "wrong answer: traces with a false equation",
               "right answer: traces with a false equation")  # fmt: skip
    lines = [
        "Measured on files with people's first errors, steps up to that error (`python -m bench.checked_arithmetic`):",
        "",
        *table(people, [against_people(name) for name in FILES]),
        "",
        "Of 2,568 model solutions of GSM8K with a calculator's marks, all steps:",
        "",
        *table(answers, [by_answer(version) for version in (FIRST, SECOND, VERSION)]),
        "",
    ]
    put_between(PAGE, BEGIN, END, lines)
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
