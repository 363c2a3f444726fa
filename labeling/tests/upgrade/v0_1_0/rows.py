"""Rows to import: small ones of our own, in the formats that people import."""

from typing import Any

Row = dict[str, Any]
FIRST = 72  # the texts of twelve of the next 36 problems keep them back from training
SUBJECTS, LEVELS = ("Algebra", "Geometry", "Number theory"), ("1", "2")


def neutral_rows(kind: str, problems: int, *, siblings: int = 1) -> list[Row]:
    """Return solutions of sums, `siblings` per problem that begin alike; every third has a slip in its second step."""
    return [_neutral(kind, number, sibling) for number in range(problems) for sibling in range(siblings)]


def _neutral(kind: str, number: int, sibling: int) -> Row:
    one, other = 7 + number, 5 + 2 * number
    slip = (number + sibling) % 3 == 0
    total = one + other + slip
    steps = [f"We add ${one}$ and ${other}$.", f"That gives ${one} + {other} = {total}$."]
    steps += [f"Read it once more, in words {sibling}.", f"So the answer is ${total}$."][sibling % 2 :]
    return {
        "problem_id": f"{kind}-{number}",
        "problem": f"({kind}) What is ${one} + {other}$?",
        "ground_truth_answer": str(one + other),
        "ground_truth_solution": f"Add: ${one + other}$.",
        "subject": SUBJECTS[number % 3],
        "level": LEVELS[number % 2],
        "source": kind,
        "generator": f"model-{sibling % 2}",
        "steps": steps,
        "final_answer": str(total),
        "final_answer_correct": not slip,
        "first_error": 1 if slip else -1,
        "temperature": 0.7,
    }


def prm800k_rows(problems: int, labelers: tuple[str, ...]) -> list[Row]:
    """Return labels of two solutions per problem by every labeler; they sometimes differ, some are quality control."""
    return [
        _prm800k(number, sample, labeler, place)
        for number in range(FIRST, FIRST + problems)
        for sample in range(2)
        for place, labeler in enumerate(labelers)
    ]


def _prm800k(number: int, sample: int, labeler: str, place: int) -> Row:
    steps = [f"Take {number} apples ({sample}).", f"Half of them are {number // 2}.", f"A: {number}"]
    finish, error = _said(number, sample, place)
    end = 3 if error is None else error + 1
    labeled = [_step(text, -1 if step == error else (number + step) % 2, step) for step, text in enumerate(steps[:end])]
    return {
        "labeler": labeler,
        "timestamp": f"2022-11-{1 + number % 28:02d}T1{place}:0{sample}:29.980606",
        "generation": number % 2 + 1,
        "is_quality_control_question": number % 7 == 3,
        "is_initial_screening_question": number % 11 == 5,
        "question": {
            "problem": f"Natalia has {number} apples and 0 pears. How many?",
            "ground_truth_solution": None,
            "ground_truth_answer": str(number),
            "pre_generated_steps": steps,
            "pre_generated_answer": str(number + sample),
            "pre_generated_verifier_score": round(number / 120, 2),
        },
        "label": {"steps": labeled, "total_time": 30_000 + 1_000 * number, "finish_reason": finish},
    }


def _said(number: int, sample: int, place: int) -> tuple[str, int | None]:
    """Return the label of a solution; the second labeler sometimes disagrees."""
    kind = (number * 2 + sample + (place if number % 4 == 0 else 0)) % 8
    if kind < 3:
        return "found_error", kind
    if kind > 5:
        return ("bad_problem", "give_up")[kind - 6], 1
    return "solution", 1 if (number, sample) == (FIRST + 1, 0) else None


def _step(text: str, rating: int, step: int) -> Row:
    offered = [{"text": text, "rating": rating, "flagged": None}]
    if step == 1:
        offered += [
            {"text": f"{text} Or so.", "rating": 0, "flagged": False},
            {"text": f"{text} Really.", "rating": None, "flagged": True},
        ]
    chosen = 0 if rating >= 0 else None
    return {"completions": offered, "human_completion": None, "chosen_completion": chosen}


def processbench_rows() -> list[Row]:
    """Return a benchmark, whose problems are held out."""
    return [
        {
            "id": f"sums-{number}",
            "generator": "model-2",
            "problem": f"(bench) Count {number} and {number}.",
            "steps": [f"Write {number} twice.", f"Altogether {2 * number + (number % 2)}.", "Done."],
            "final_answer_correct": number % 2 == 0,
            "label": -1 if number % 2 == 0 else 1,
        }
        for number in range(8)
    ]
