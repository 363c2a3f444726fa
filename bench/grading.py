"""Answer grading: answers per second on two processes, the cost of a bomb, and agreement with recorded outcomes."""

import json
import os
import random
import time
from collections import Counter
from collections.abc import Iterable, Iterator
from typing import Any

import psutil

from annotation_app.local.installation import BASE_DIR
from bench.progress import say
from labeling.grading import GRADER_VERSION, Question
from labeling.grading.process_pool import MEMORY, SECONDS, GradingPool

PROCESSES = 2
ANSWERS = 4_000
BOMBS = ("9**9**9", "99999999!", "9^{9^{9}}", "2^{2^{2^{2^{2^{2}}}}}", "(" * 1500)
REAL_FILES = {
    "gsm8k_openai": "maths",
    "processbench_gsm8k": "maths",
    "processbench_math": "maths",
    "bbmistake_logical_deduction": "choice",
    "bbmistake_tracking_shuffled_objects": "choice",
    "bbmistake_multistep_arithmetic": "maths",
    "mrben_physics": "choice",
    "tot_game24": "maths",
}
RECORDED = {True: "correct", False: "wrong", None: "ungraded"}


def measure(*, quick: bool = False) -> dict[str, Any]:
    """Return speeds by kind of answer, the cost of bombs, and the agreement on every real file found."""
    count = ANSWERS // 20 if quick else ANSWERS
    with GradingPool(PROCESSES) as pool:
        started = time.perf_counter()
        list(pool.grade([Question((), "5", "5")] * PROCESSES))
        start = time.perf_counter() - started
        runs = [speed(pool, name, list(questions(count, random.Random(7)))) for name, questions in MIXES.items()]
        bombs = [bomb_cost(pool, bomb) for bomb in BOMBS]
        memory = max((child.memory_info().rss for child in graders()), default=0)
        agreement = list(real_files(pool))
    return {
        "grader_version": GRADER_VERSION,
        "processes": PROCESSES,
        "limit_seconds": SECONDS,
        "limit_mib": MEMORY // 2**20,
        "start_seconds": round(start, 2),
        "grader_rss_mb": round(memory / 1e6),
        "runs": runs,
        "bombs": bombs,
        "agreement": agreement,
    }


def plain(count: int, chance: random.Random) -> Iterator[Question]:
    """Return whole numbers, decimals and fractions, as in GSM8K."""
    for _ in range(count):
        value = chance.randint(-10_000, 10_000)
        answer = chance.choice(
            (f"{value:,}", f"${value}$", f"{value}.0", rf"\frac{{{value * 2}}}{{2}}", f"{value + 1}")
        )
        yield Question((f"Therefore it is {answer}.", rf"\boxed{{{answer}}}"), None, str(value))


def symbolic(count: int, chance: random.Random) -> Iterator[Question]:
    """Return expressions that only algebra can compare, each used once, so that no cache helps."""
    for _ in range(count):
        a, b, c = (chance.randint(2, 99) for _ in range(3))
        given, truth = chance.choice(
            (
                (rf"{a}\sqrt{{{b}}} + {c}", rf"{c} + {a}\sqrt{{{b}}}"),
                (rf"\frac{{\sqrt{{{a}}}}}{{{b}}}", rf"\frac{{{a}}}{{{b}\sqrt{{{a}}}}}"),
                (f"{a}x^2 + {b}x + {c}", f"x({a}x + {b}) + {c}"),
                (f"{a} + {b}i", f"{b}i + {a + 1}"),
                (rf"{a}\pi - {b}", rf"{a}\pi - {c}"),
            )
        )
        yield Question((), given, truth)


def mixed(count: int, chance: random.Random) -> Iterator[Question]:
    """Return a mix: of ten answers, seven plain, two expressions, one list or interval; one in 1,000 is a bomb."""
    numbers, expressions = plain(count, chance), symbolic(count, chance)
    for index in range(count):
        if index % 1000 == 500:
            yield Question((), "9^{9^{9}}", "5")
        elif index % 10 < 7:
            yield next(numbers)
        elif index % 10 < 9:
            yield next(expressions)
        else:
            low = chance.randint(-50, 50)
            yield Question((), f"{low} < x < {low + 3}", f"({low}, {low + 3})")


MIXES = {"plain numbers": plain, "algebra only": symbolic, "mixed, one bomb in 1,000": mixed}


def speed(pool: GradingPool, name: str, questions: list[Question]) -> dict[str, Any]:
    """Measure answers per second by the clock, and CPU time per answer, which other load does not affect."""
    cpu, started = cpu_seconds(), time.perf_counter()
    outcomes = Counter(grade.outcome for grade in pool.grade(questions))
    seconds = time.perf_counter() - started
    rate = len(questions) / seconds
    say(f"grading: {name}: {rate:,.0f} answers/s")
    return {
        "answers": name,
        "count": len(questions),
        "seconds": round(seconds, 2),
        "answers_per_second": round(rate, 1),
        "cpu_ms_per_answer": round((cpu_seconds() - cpu) / len(questions) * 1000, 2),
        "outcomes": dict(outcomes),
    }


def bomb_cost(pool: GradingPool, bomb: str) -> dict[str, Any]:
    """Return the seconds until an answer that would never finish is graded, and until the next honest one is."""
    started = time.perf_counter()
    (grade,) = pool.grade([Question((), bomb, "5")])
    graded = time.perf_counter()
    list(pool.grade([Question((), "x=5", "5")]))
    next_after = time.perf_counter() - graded
    return {
        "answer": bomb[:24],
        "reason": grade.reason,
        "seconds": round(graded - started, 2),
        "next_ms": round(next_after * 1000, 1),
    }


def graders() -> list[psutil.Process]:
    """Return the pool's running processes, including the server."""
    return [child for child in psutil.Process().children(recursive=True) if child.status() != psutil.STATUS_ZOMBIE]


def cpu_seconds() -> float:
    """Return the CPU time of this process and of all graders so far, including killed ones."""
    asking = sum(psutil.Process().cpu_times()[:2])
    return asking + sum(sum(process.cpu_times()[:4]) for process in graders())  # [2:4]: ended child processes


def real_files(pool: GradingPool) -> Iterator[dict[str, Any]]:
    """Compare recorded outcomes with grades in each published file found, with recorded and with found answers."""
    shared = os.environ.get("STEPMARK_SHARED_DATA", BASE_DIR.parent / "shared" / "data")
    for name, kind in REAL_FILES.items():
        file = os.path.join(shared, f"{name}.jsonl")
        if not os.path.exists(file):
            continue
        with open(file, encoding="utf-8") as lines:
            rows = [json.loads(line) for line in lines]
        for where in ("recorded", "found"):
            yield {"file": name, "kind": kind, "answer": where, **agreement(pool, rows, kind, where == "found")}
        say(f"grading: {name}: agreement counted")


def agreement(pool: GradingPool, rows: Iterable[dict[str, Any]], kind: str, found: bool) -> dict[str, Any]:
    """Count (recorded, graded) outcomes, the rules that found answers, and the reasons for ungraded ones."""
    rows = list(rows)
    questions = [
        Question(tuple(row["steps"]), None if found else row["final_answer"], row["ground_truth_answer"], kind)
        for row in rows
    ]
    grades = list(pool.grade(questions))
    pairs = Counter(
        f"{RECORDED[row['final_answer_correct']]} {grade.outcome}" for row, grade in zip(rows, grades, strict=True)
    )
    return {
        "traces": len(rows),
        "pairs": dict(sorted(pairs.items())),
        "rules": dict(Counter(grade.rule or "none" for grade in grades).most_common()),
        "ungraded": dict(Counter(grade.reason for grade in grades if grade.outcome == "ungraded").most_common()),
    }
