"""Wrong steps that the trainer makes from steps that people rated right.

People's labels of wrong steps are few, and a small model that learns from them alone learns where steps go wrong rather
than what is wrong in them. So a right step is corrupted in one place, and the model learns that the corrupted one is
wrong alongside the right one: both have everything before them in common. No person looked at a corrupted step: none is
ever counted as a label, and nothing is measured on them.

Most made steps are wrong. Those that are right by accident (0 * 3 = 0 * 4) are noise, which is why made steps weigh
less.
"""

import re
from collections.abc import Callable, Sequence
from random import Random

from worker.prm.families.step_classifier import StepLayout
from worker.prm.packing import Sample

Way = Callable[[str, str, Random], str]
WEIGHT = 0.5  # of a made step; a rated step weighs 1 in the mean
OPTIONS = 0.15  # how often an option's letter is changed in a step that has one, whatever else it contains
NUMBER = re.compile(r"\d+(?:\.\d+)?")
OPTION = re.compile(r"\(([A-H])\)")
OPERATOR = re.compile(r"(?<=\s)[-+*/](?=\s)|(?<!\w)-(?=\d)")  # between spaces, or the sign of a number
STATED = re.compile(r"\b([A-Z][\w.]{0,80}): ([^,:.;\n]+)")  # Alice: a red ball, Bob: …


def corrupted(step: str, problem: str, chance: Random) -> str | None:
    """Return the step with one thing in it changed; None if there is nothing to change, or it stayed as it was.

    Two stated values trade places; a number becomes another one near it, another one of the step, or has a digit
    changed; a sign or an operator changes; the letter of an option becomes another option of the problem.
    """
    numbers, options = list(NUMBER.finditer(step)), list(OPTION.finditer(step))
    ways: list[Way] = []
    if len({found[2] for found in STATED.finditer(step)}) > 1:
        ways.append(swapped)
    if numbers:
        ways.append(renumbered)
    if OPERATOR.search(step) and numbers:
        ways.append(other_operator)
    if options and (not ways or chance.random() < OPTIONS):
        ways = [other_option]
    if not ways:
        return None
    found = chance.choice(ways)(step, problem, chance)
    return None if found == step or not found.strip() else found


def swapped(step: str, _problem: str, chance: Random) -> str:
    """Exchange two values that the step states for different names."""
    first, second = sorted(chance.sample(list(STATED.finditer(step)), 2), key=lambda found: found.start())
    between = step[first.end(2) : second.start(2)]
    return step[: first.start(2)] + second[2] + between + first[2] + step[second.end(2) :]


def renumbered(step: str, _problem: str, chance: Random) -> str:
    """Change a number, half of the time everywhere that the step repeats it later. The first numbers are often the
    problem's own, so none of the first third is changed.
    """
    numbers = list(NUMBER.finditer(step))
    found = chance.choice(numbers[len(numbers) // 3 :])
    old, before, rest = found[0], step[: found.start()], step[found.end() :]
    new = other_number(old, [one[0] for one in numbers if one[0] != old], chance)
    if chance.random() < 0.5:
        rest = re.sub(rf"(?<![\d.]){re.escape(old)}(?!\d|\.\d)", new, rest)
    return before + new + rest


def other_number(old: str, others: Sequence[str], chance: Random) -> str:
    """Return a number that could replace it."""
    draw = chance.random()
    if others and draw < 0.35:
        return chance.choice(others)
    if draw < 0.8:
        value = float(old) if "." in old else int(old)
        return str(abs(value + chance.choice([-10, -3, -2, -1, 1, 2, 3, 10])))
    at = chance.choice([place for place, digit in enumerate(old) if digit != "."])
    return old[:at] + chance.choice("123456789") + old[at + 1 :]


def other_operator(step: str, _problem: str, chance: Random) -> str:
    """Replace an operator with another one, or remove the sign of a number."""
    found = chance.choice(list(OPERATOR.finditer(step)))
    sign = step[found.end() : found.end() + 1].isdigit()
    new = "" if sign else chance.choice([one for one in "+-*" if one != found[0]])
    return step[: found.start()] + new + step[found.end() :]


def other_option(step: str, problem: str, chance: Random) -> str:
    """Replace (B) with another of the problem's options, or leave it if there is none."""
    found = chance.choice(list(OPTION.finditer(step)))
    others = sorted(set(OPTION.findall(problem)) - {found[1]})
    return step[: found.start(1)] + chance.choice(others or [found[1]]) + step[found.end(1) :]


def with_made(sample: Sample, layout: StepLayout, many: int, chance: Random) -> Sample:
    """Return the sample with up to `many` corrupted steps next to each of its right ones.

    A corrupted step is a branch: it sees what the right one sees, and nothing after it sees it. So it costs only its
    own tokens; the problem and the steps before it are computed once for all of them.
    """
    ids: list[int] = []
    depths: list[int] = []
    ends: list[int] = []
    moved: dict[int, int] = {}  # place in the sample -> place once branches are added
    made: list[int] = []
    branches = _branches(sample, layout, many, chance)
    for place, token in enumerate(sample.ids):
        for branch in branches.get(place, ()):
            end = len(ids) + len(branch)
            ids += branch
            depths += range(place, place + len(branch))
            ends += [end] * len(branch)
            made.append(end - 1)
        moved[place] = len(ids)
        ids.append(token)
        depths.append(place)
        ends.append(0)
    return sample._replace(
        ids=ids,
        places=[moved[place] for place in sample.places] + made,
        labels=[*sample.labels, *([0] * len(made))],
        made=len(made),
        depths=depths,
        ends=[end or len(ids) for end in ends],
    )


def _branches(sample: Sample, layout: StepLayout, many: int, chance: Random) -> dict[int, list[list[int]]]:
    """Return the tokens of corrupted steps, by the place in the sample where the step that they are next to begins."""
    found: dict[int, list[list[int]]] = {}
    example = sample.example
    if example is None:
        return found
    rendered = layout.render(example.problem, example.steps)
    for step, target in enumerate(example.targets):
        if not target:  # already wrong, or not rated
            continue
        start = rendered.positions[step - 1] + 1 if step else rendered.begins
        for _ in range(many):
            seen = example.context[step] if example.context else 0  # what an agent saw is not changed
            wrong = corrupted(example.steps[step][seen:], example.problem, chance)
            if wrong is not None:
                changed = example.steps[step][:seen] + wrong
                whole = layout.render(example.problem, [*example.steps[:step], changed])
                found.setdefault(start, []).append(whole.ids[start:])
    return found
