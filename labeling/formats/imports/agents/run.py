"""A run of an agent as its recorder wrote it, and the import format that reads such runs."""

from collections.abc import Callable, Iterator, Mapping
from copy import deepcopy
from dataclasses import dataclass, field, replace
from typing import Any

from labeling.formats.faults import Fault, shown
from labeling.formats.imports.agents.pictures import taken
from labeling.formats.imports.agents.turns import with_final
from labeling.formats.imports.import_format import ImportFormat, Parsed, ParsedAll
from labeling.formats.records import ParsedRow, ProblemRecord, TraceRecord
from labeling.formats.row_checks import STEP_LIMIT
from labeling.formats.typed_steps import AGENT, call_text, in_units, unit_of_turns

Json = dict[str, Any]
LONGEST_NAME = 100
KEPT = 200  # characters of an id
MOST_IN_A_TURN = 64  # maximum units of a turn in the project where it was rated
LEAVES = "Keys, tokens and e-mail addresses are removed (docs/agent-traces.md)."


@dataclass
class Run:
    """One trace with its typed steps, the task it was given, and what the file says about it."""

    task: str
    steps: list[Json]
    problem_id: str = ""
    source: str = ""
    generator: str = ""
    answer: str | None = None
    final_answer: str | None = None
    outcome: str = "ungraded"
    # By turn. If a turn has several units, a key may name one of them, from 0: (turn, 1).
    ratings: Mapping[Any, int] = field(default_factory=dict)
    first_error: Any = None  # a turn; -1: none
    decisive: Any = None  # the turn of the mistake that made the run fail, if the file names one
    recovered: Any = None  # the turn at which the agent recovered from a mistake
    marks: Json = field(default_factory=dict)  # more of protocol.run_marks; acts are given by turn
    ended: str = ""  # how the run ended, according to whoever judged it (protocol.run_marks.OUTCOMES)
    recorded_by: str = ""
    split: str = "train"
    metadata: Json = field(default_factory=dict)


class NoRun(Exception):
    """A row of the format contains no run: the field, what was found, what to do."""

    def __init__(self, field: str, found: Any, do: str, kind: str = "no_run") -> None:
        """Take the parts of a fault."""
        super().__init__(do)
        self.kind, self.field, self.found, self.do = kind, field, shown(found), do


def run_format(
    run_of: Callable[[Json], Run],
    told: Callable[[Json], list[Json]] = lambda row: [],
    *,
    inner_have_rows: bool = False,
    **about: Any,
) -> ImportFormat:
    """Return an import format of runs. `run_of` reads a row, or raises NoRun. `told` returns what several people say
    about it, each as keywords of `Run`; the run is read once for each. A sub-agent's work is also a trace of its own,
    made here or, with `inner_have_rows`, from a separate row.
    """

    def read(row: Json, line: int) -> ParsedAll:
        try:
            run = run_of(row)
            inner = [] if inner_have_rows else list(_inner_runs(run.steps, run))
            read = [recorded_run(replace(run, **said), line) for said in told(row) or [{}]]
            read += [recorded_run(one, line) for one in inner]
        except NoRun as fault:
            return [], [Fault(fault.kind, line, fault.field, fault.found, fault.do)]
        except (KeyError, TypeError, AttributeError, IndexError, ValueError) as error:
            do = "The row has this format's keys but a different structure. Compare it with docs/agent-traces.md."
            return [], [Fault("unlike_its_format", line, "", shown(f"{type(error).__name__}: {error}"), do)]
        faults = read[0][1]  # the run's, which are the same for all
        return [parsed for parsed, _ in read if parsed is not None], faults

    return ImportFormat(read_all=read, runs=True, leaves=LEAVES, **about)


def _inner_runs(steps: list[Json], run: Run) -> Iterator[Run]:
    """Yield the work of sub-agents as separate runs. Those without a step of their own stay only in their
    caller's run."""
    for step in steps:
        if not (nested := step.get("nested")):
            continue
        if any(one["actor"] == AGENT for one in nested):
            own = deepcopy(nested)
            asked = first_task(own) or (call_text(step) if "arguments" in step else "")
            about = {"sub_agent_of": run.problem_id or step.get("call_id"), "call_id": step.get("call_id")}
            yield Run(asked, own, run.problem_id, run.source, run.generator, metadata=about)
        yield from _inner_runs(nested, run)


def recorded_run(run: Run, line: int) -> Parsed:
    """Return the records of a run, in units of messages."""
    pictures = tuple(taken(run.steps))
    steps = with_final(_countable(run.steps))
    problem = ProblemRecord(
        run.task.strip() or f"(The recorder kept no task. {run.source} {run.problem_id})".strip(),
        run.problem_id[:KEPT],
        run.answer,
        None,
        run.split,
        source=run.source[:LONGEST_NAME],
    )
    trace = TraceRecord(
        [],
        run.source[:LONGEST_NAME],
        run.generator[:KEPT],
        run.final_answer,
        run.outcome,
        metadata={key: value for key, value in run.metadata.items() if value not in (None, "", [], {})},
        recorded_by=run.recorded_by[:KEPT],
        typed=steps,
        pictures=pictures,
        said={
            "ratings": dict(run.ratings),
            "first_error": run.first_error,
            "decisive": run.decisive,
            "ended": run.ended,
            "recovered": run.recovered,
            "marks": run.marks,
        },
    )
    trace = of_units(trace, "message")
    if not trace.steps:
        do = "A run needs at least one message of the agent: nothing else is rated."
        return None, [Fault("no_steps", line, "", f"{len(steps)} entries, none of the agent", do)]
    if len(trace.steps) > STEP_LIMIT:
        do = f"A trace may have at most {STEP_LIMIT:,} rated units. Shorten the run."
        return None, [Fault("too_many_steps", line, "", f"{len(trace.steps):,} units", do)]
    return ParsedRow(problem, trace), []


def _countable(steps: list[Json]) -> list[Json]:
    """Return the steps without token counts that are not numbers."""
    for step in steps:
        if "tokens" in step and type(step["tokens"]) is not int:
            del step["tokens"]
        _countable(step.get("nested", []))
    return steps


def of_units(trace: TraceRecord, unit: str) -> TraceRecord:
    """Return the trace with a step for each rated unit. What the file says about turns is applied to their units."""
    assert trace.typed is not None
    typed, texts = in_units(trace.typed, unit)
    said = trace.said or {}
    places = _places(typed)
    given: dict[int, set[int]] = {}
    for turn, rating in said.get("ratings", {}).items():
        if turn in places:
            given.setdefault(places[turn], set()).add(rating)
    # Units that were rated differently and are one unit here get no rating.
    ratings = [next(iter(given[unit])) if len(given.get(unit, ())) == 1 else None for unit in range(len(texts))]
    first = said.get("first_error")
    return trace._replace(
        typed=typed,
        steps=texts,
        recorded_ratings=ratings if any(rating is not None for rating in ratings) else None,
        recorded_first_error=first if first in (None, -1) else places.get(first),
        recorded_marks=_marks(said, places) or None,
    )


def _places(typed: list[Json]) -> dict[Any, int]:
    """Return the units by turn, and by (turn, nth unit of the turn). If a turn has fewer units here than where it was
    rated, its last one stands in for the rest.
    """
    found: dict[Any, int] = dict(unit_of_turns(typed))
    own: dict[Any, list[int]] = {}
    for step in typed:
        if "unit" in step and step["unit"] not in own.setdefault(step.get("turn"), []):
            own[step["turn"]].append(step["unit"])
    for turn, units in own.items():
        found |= {(turn, nth): units[min(nth, len(units) - 1)] for nth in range(MOST_IN_A_TURN)}
    return found


def _marks(said: Json, places: Mapping[Any, int]) -> Json:
    more = said.get("marks") or {}
    marks = {
        **more,
        "decisive_error": places.get(said.get("decisive")),
        "recovered_at": places.get(said.get("recovered")),
        "outcome": more.get("outcome") or said.get("ended"),
        "acts": [{**act, "step": places[act["step"]]} for act in more.get("acts", ()) if act["step"] in places],
    }
    return {name: mark for name, mark in marks.items() if mark not in (None, "", [])}


def in_rated_units(parsed: ParsedRow, unit: str) -> ParsedRow:
    """Convert a row that was read in units of messages to the units that a project rates.

    A row that states its own units, as Stepmark's exports do, is left unchanged if they are the same.
    """
    trace = parsed.trace
    if unit == "message" or trace is None or trace.typed is None:
        return parsed
    placed = of_units(trace, unit)
    same = trace.said is None and placed.steps == trace.steps
    return parsed if same else parsed._replace(trace=placed)


def first_task(steps: list[Json]) -> str:
    """Return what the agent was asked: the first message of a person."""
    return next((step["text"] for step in steps if step["actor"] == "user" and step["kind"] == "message"), "")
