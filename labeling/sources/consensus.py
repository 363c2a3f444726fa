"""One source made of others, by a rule; it reports what it drops.

`agree` keeps a trace if all name the same first error (*Lessons of Developing PRMs*, arXiv 2501.07301, keeps about
40 %); `majority` takes the first error that more than half of them name; `weakest` the lowest number of each step.
"""

from collections import Counter
from collections.abc import Mapping

from labeling.protocol.interface import NO_ERROR
from labeling.sources.marks import Marked

DIFFER = "they differ"
RULES = {
    "agree": "All sources name the same first error; else the trace is dropped.",
    "majority": "The first error that more than half of the sources name; else the trace is dropped.",
    "weakest": "The lowest number that any source gives each step, and the earliest first error that any names.",
}


def consensus(rule: str, said: Mapping[str, Marked], steps: int) -> Marked:
    """Combine the marks of sources, given by name. `why` says why a trace is dropped. Raises KeyError for an unknown
    rule.
    """
    RULES[rule]
    firsts = {name: one.first_error for name, one in said.items()}
    evidence: dict[str, object] = {"rule": rule, "said": firsts}
    if rule == "weakest":
        return _weakest(said, steps, evidence)
    silent = [name for name, first in firsts.items() if first is None]
    if silent and rule == "agree":
        says = "does not say" if len(silent) == 1 else "do not say"
        return Marked([None] * steps, None, f"{', '.join(silent)} {says}", evidence)
    counted = Counter(first for first in firsts.values() if first is not None)
    first, most = counted.most_common(1)[0] if counted else (None, 0)
    enough = most == len(said) if rule == "agree" else 2 * most > len(said)
    if first is None or not enough:
        return Marked([None] * steps, None, f"{DIFFER}: {_named(firsts)}", evidence)
    return Marked(steps_of(first, steps), first, "", evidence)


def _weakest(said: Mapping[str, Marked], steps: int, evidence: dict[str, object]) -> Marked:
    lowest = [
        min((one.steps[step] for one in said.values() if one.steps[step] is not None), default=None)  # type: ignore[type-var]
        for step in range(steps)
    ]
    errors = [one.first_error for one in said.values() if one.first_error not in (None, NO_ERROR)]
    if errors:
        return Marked(lowest, min(errors), "", evidence)
    if all(one.first_error == NO_ERROR for one in said.values()):
        return Marked(lowest, NO_ERROR, "", evidence)
    return Marked(lowest, None, "none names an error, and some do not say", evidence)


def steps_of(first: int, steps: int) -> list[float | None]:
    """Return what a first error says of each step: right before it, wrong at it, nothing after it."""
    if first == NO_ERROR:
        return [1.0] * steps
    return [1.0 if step < first else 0.0 if step == first else None for step in range(steps)]


def _named(firsts: Mapping[str, int | None]) -> str:
    words = {None: "nothing", NO_ERROR: "no error"}
    return ", ".join(f"{name} {words.get(first, f'step {(first or 0) + 1}')}" for name, first in firsts.items())
