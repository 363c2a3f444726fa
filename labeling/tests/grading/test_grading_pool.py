"""Answers that would hang or fill the machine cost one ungraded answer and about a second, never the worker."""

import os
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import psutil
import pytest

from labeling.grading import Question
from labeling.grading.process_pool import GradingPool

ROOM = 20.0  # seconds for an honest answer, on a machine with other work
BOMBS = [
    "9**9**9",
    "9^{9^{9}}",
    "99999999!",
    "2^{2^{2^{2^{2^{2}}}}}",
    "9^{9^{9^{9}}}",
    r"\binom{10^9}{10^8}",
    r"9^{9^{9}} - 9^{9^{9}}",
    "(" * 1500,
]
HARMLESS = [
    "x" * 10**6,
    "9" * 10**6,
    "(" * 3000,
    r"\boxed{" * 5000,
    "\x00",
    "\ud800",
    r"\sqrt{" * 300 + "2" + "}" * 300,
]


def question(answer: str, truth: str = "5") -> Question:
    return Question((), answer, truth)


@pytest.fixture(scope="module")
def running_pool() -> Iterator[GradingPool]:
    with GradingPool(2, seconds=ROOM) as processes:
        yield processes


@pytest.fixture
def pool(running_pool: GradingPool) -> GradingPool:
    running_pool.seconds, running_pool.together = ROOM, 1
    list(running_pool.grade([question("5")] * 2))
    return running_pool


@pytest.mark.parametrize("bomb", BOMBS)
def test_a_bomb_costs_about_a_second_and_is_ungraded(pool: GradingPool, bomb: str) -> None:
    pool.seconds = 1.0
    started = time.monotonic()
    (grade,) = pool.grade([question(bomb)])
    assert time.monotonic() - started < 20, "not stopped: it would compute for ever"
    assert grade.outcome == "ungraded"
    assert grade.reason in ("timed_out", "out_of_memory")
    pool.seconds = ROOM
    assert [found.outcome for found in pool.grade([question("x=5"), question("6")])] == ["correct", "wrong"]


def test_answers_of_any_size_and_shape_are_graded_at_once(pool: GradingPool) -> None:
    started = time.monotonic()
    grades = list(pool.grade([question(answer) for answer in HARMLESS]))
    assert {grade.outcome for grade in grades} == {"ungraded"}
    assert time.monotonic() - started < ROOM / 2


def test_grades_come_in_the_order_of_the_questions(pool: GradingPool) -> None:
    pool.seconds = 2.0
    answers = [str(number) if number != 3 else "9^{9^{9}}" for number in range(40)]
    grades = list(pool.grade([question(answer, "7") for answer in answers]))
    assert [grade.outcome for grade in grades] == [
        "ungraded" if number == 3 else "correct" if number == 7 else "wrong" for number in range(40)
    ]


def test_grades_are_streamed_while_questions_are_still_taken(pool: GradingPool) -> None:
    taken: list[int] = []

    def questions() -> Iterator[Question]:
        for number in range(10_000):
            taken.append(number)
            yield question(str(number))

    grades = pool.grade(questions())
    assert next(grades).outcome == "wrong"
    assert len(taken) < 1000
    grades.close()
    assert len(list(pool.grade([question("5")]))) == 1, "a caller that stopped early leaves the pool in order"


def test_a_caller_who_takes_a_long_time_does_not_make_answers_late(pool: GradingPool) -> None:
    pool.seconds = 1.0
    outcomes = []
    for grade in pool.grade([question("5")] * 4):
        time.sleep(1.2)
        outcomes.append(grade.outcome)
    assert outcomes == ["correct"] * 4


def test_an_answer_that_needs_too_much_memory_is_ungraded() -> None:
    with GradingPool(1, seconds=10 * ROOM, memory=300 * 2**20) as tight:
        grades = list(tight.grade([question(r"2^{10^{10}}"), question("x=5")]))
        tight.together = 4
        together = list(tight.grade([question(answer) for answer in ("5", r"2^{10^{10}}", "x=5", "6")]))
    assert [(grade.outcome, grade.reason) for grade in grades] == [
        ("ungraded", "out_of_memory"),
        ("correct", "same_text"),
    ]
    assert [grade.reason for grade in together] == ["same_text", "out_of_memory", "same_text", "other_number"]


def test_questions_of_one_message_are_graded_as_if_each_were_asked_alone(pool: GradingPool) -> None:
    bombs = {3: "9^{9^{9}}", 20: "9^{9^{9}}", 21: "(" * 1500}
    answers = [bombs.get(number, str(number)) for number in range(40)]
    pool.seconds, pool.together = 2.0, 16
    grades = list(pool.grade([question(answer, "7") for answer in answers]))
    pool.together = 1
    assert [grade.outcome for grade in grades] == [
        "ungraded" if number in bombs else "correct" if number == 7 else "wrong" for number in range(40)
    ]


def children() -> list[psutil.Process]:
    """The fork server and its graders."""
    running = [child for child in psutil.Process().children(recursive=True) if child.status() != psutil.STATUS_ZOMBIE]
    return [child for child in running if "labeling.grading.process_child" in child.cmdline()]


def test_a_process_that_dies_costs_one_ungraded(pool: GradingPool) -> None:
    # The first runs forever: it is killed as the kernel kills a process that takes too much memory.
    with subprocess.Popen([sys.executable, "-c", KILL_BUSY, str(os.getpid())]):
        grades = list(pool.grade([question("9^{9^{9}}"), question("5"), question("5")]))
    assert [grade.reason for grade in grades] == ["crashed", "same_text", "same_text"]


KILL_BUSY = """
import os, psutil, signal, sys, time
owner = psutil.Process(int(sys.argv[1]))
time.sleep(1)
servers = [child for child in owner.children() if "labeling.grading.process_child" in child.cmdline()]
graders = [grader for server in servers for grader in server.children()]
busy = max(graders, key=lambda grader: grader.cpu_times().user)
os.kill(busy.pid, signal.SIGKILL)
"""


def test_a_dead_server_is_replaced(pool: GradingPool) -> None:
    (server,) = [child for child in children() if child.ppid() == os.getpid()]
    os.kill(server.pid, signal.SIGKILL)
    server.wait()
    assert [grade.outcome for grade in pool.grade([question("5")] * 3)] == ["correct"] * 3


def test_closing_the_pool_ends_its_processes(pool: GradingPool) -> None:
    before = children()
    assert len(before) >= 2
    pool.close()
    assert psutil.wait_procs(before, timeout=60)[1] == []


OWNER = """
import sys
from labeling.grading import Question
from labeling.grading.process_pool import GradingPool
pool = GradingPool(1, seconds=60)
list(pool.grade([Question((), "5", "5")]))
print("ready", flush=True)
list(pool.grade([Question((), "9^{9^{9}}", "5")]))
"""


@pytest.mark.skipif(sys.platform != "linux", reason="the kernel's parent-death signal")
def test_graders_end_with_a_worker_that_is_killed() -> None:
    folder = Path(__file__).parents[3]
    owner = subprocess.Popen([sys.executable, "-c", OWNER], cwd=folder, stdout=subprocess.PIPE, text=True)
    assert owner.stdout.readline() == "ready\n"
    processes = psutil.Process(owner.pid).children(recursive=True)
    assert len(processes) == 2
    owner.kill()
    owner.wait()
    owner.stdout.close()
    assert psutil.wait_procs(processes, timeout=60)[1] == []
