"""Rollouts of a chunk's traces.

Each trace's search names the prefixes that it needs and waits only for its own answers, so that as many requests are in
flight as the server accepts. Answers are graded and marks written in batches: this thread shares one interpreter with
the threads that send requests.
"""

from collections import deque
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, NamedTuple

from labeling.actions.source_runs import MarkWriter, NewMark
from labeling.configs import RolloutsConfig
from labeling.generation.prompts import write_completion_prompt
from labeling.generation.sampling import REFUSED, Sample, runs, seed_of, storable
from labeling.generation.splitting import Splitter
from labeling.grading import CORRECT, GRADER_VERSION, UNGRADED, Grade, Question
from labeling.queries.sources import TraceToMark
from labeling.sources.marks import UNKNOWN, Marked
from labeling.sources.rollouts import TraceSearch, search_of, tokens_of
from labeling.sources.tree import Prefix, Rollout, Wanted
from worker.asking import Batch, Room, answers_together
from worker.generation import chat_server
from worker.refusals import Refusals

Grader = Callable[[Iterable[Question]], Iterator[Grade]]
PARAGRAPHS = Splitter("blank_line")
WAY_OUT = "Create a source with other settings. Or ask the operator to fix the generator, then resume the work."


@dataclass
class Searching:
    """A trace, its search, and what the search waits for. `marked` is set when the search has ended."""

    trace: TraceToMark
    search: TraceSearch
    probes: list["Probe"] = field(default_factory=list)
    before: dict[Prefix, int] = field(default_factory=dict)  # samples requested so far, per prefix
    texts: list[dict[str, Any]] = field(default_factory=list)
    refused: list[Sample] = field(default_factory=list)
    marked: Marked | None = None

    @property
    def waits(self) -> bool:
        """Whether any of its probes is unanswered."""
        return any(probe.rollouts is None for probe in self.probes)

    def go_on(self) -> None:
        """Pass the answers to the search, and take what it wants next."""
        came = [probe.rollouts or [] for probe in self.probes]
        self.texts += [text for probe in self.probes for text in probe.texts]
        self.refused += [one for probe in self.probes for one in probe.came if one.finish_reason == REFUSED]
        try:
            wanted = self.search.send(came if self.probes else None)  # type: ignore[arg-type]  # None begins it
        except StopIteration as end:
            self.marked = self._with_refusals(end.value)
        else:
            self.probes = [Probe(self, one, self._number(one)) for one in wanted]

    def _with_refusals(self, marked: Marked) -> Marked:
        """Return the mark with what the server refused, which is in no n; if it leaves too few rollouts, the mark says
        so.
        """
        if not self.refused:
            return marked
        words = storable(self.refused[0].text)[:300]
        refused = {"rollouts": len(self.refused), "asked": len(self.refused) + len(self.texts), "words": words}
        marked = replace(marked, evidence={**marked.evidence, "refused": refused})
        if marked.why == UNKNOWN and len(self.refused) >= sum(one["outcome"] == UNGRADED for one in self.texts):
            said = "the server refused {rollouts} of {asked} rollouts: {words}".format_map(refused)
            marked = replace(marked, why=said)
        return marked

    def _number(self, wanted: Wanted) -> int:
        """Return the number of the first sample: numbering continues if a prefix is requested again."""
        first = self.before.get(wanted.prefix, 0)
        self.before[wanted.prefix] = first + wanted.n
        return first


@dataclass
class Probe:
    """Rollouts wanted from a prefix, the first one's number, and the answers."""

    of: Searching
    wanted: Wanted
    first: int
    came: list[Sample] = field(default_factory=list)
    texts: list[dict[str, Any]] = field(default_factory=list)
    rollouts: list[Rollout] | None = None

    def batches(self, longest: int) -> list[Batch["Probe"]]:
        """Return the requests for it."""
        numbers = range(self.first, self.first + self.wanted.n)
        return [Batch(self, run) for run in runs(list(numbers), longest)]


class Waiting:
    """Requests to be sent. It may be empty now and hold more later. Traces already begun go before others."""

    def __init__(self) -> None:
        self.batches: deque[Batch[Probe]] = deque()

    def __iter__(self) -> Iterator[Batch[Probe]]:
        return self

    def __length_hint__(self) -> int:
        return len(self.batches)

    def put(self, batches: Sequence[Batch[Probe]], *, first: bool) -> None:
        """Add requests."""
        if first:
            self.batches.extendleft(reversed(batches))
        else:
            self.batches.extend(batches)

    def __next__(self) -> Batch[Probe]:
        if not self.batches:
            raise StopIteration
        return self.batches.popleft()


def roll_out(
    traces: Sequence[TraceToMark], config: RolloutsConfig, writer: MarkWriter, grade: Grader, room: Room | None = None
) -> None:
    """Mark traces by rollouts of the config's completer. Marks are written as soon as their searches end, but not
    before the server has answered anything. Raises GeneratorFailed.
    """
    asked, waiting, ended = config.completer, Waiting(), list[NewMark]()
    refusals = Refusals(asked.generator, asked.model, WAY_OUT)
    with chat_server(asked.generator, counts=True) as server:
        writer.spent = lambda: server.spent

        def ask(batch: Batch[Probe]) -> list[Sample]:
            trace, prefix = batch.about.of.trace, batch.about.wanted.prefix
            prompt = write_completion_prompt(asked.prompt, trace.problem, prefix)
            key = trace.hash + "\n\n".join(prefix).encode(errors="replace")
            return server.samples(asked, prompt, batch.numbers, seed_of(asked.seed, key, batch.numbers[0]))

        def advance(searches: Iterable[Searching], *, first: bool) -> None:
            for one in searches:
                one.go_on()
                if one.marked is None:
                    wanted = [batch for probe in one.probes for batch in probe.batches(server.batch)]
                    waiting.put(wanted, first=first)
                else:
                    one.marked.evidence.update(grader_version=GRADER_VERSION, strategy=config.strategy)
                    ended.append(NewMark(one.trace.id, one.marked, one.texts))
            if ended and refusals.answered:
                writer.write(ended)
                ended.clear()

        advance([Searching(trace, search_for(trace, config)) for trace in traces], first=False)
        for came in answers_together(server, ask, waiting, writer.require, writer.may_spend, room=room):
            for probe, samples in came:
                probe.came += samples
                refusals.hear(samples)
            probes = {id(probe): probe for probe, _ in came}.values()
            if whole := [probe for probe in probes if len(probe.came) >= probe.wanted.n]:
                read(whole, grade)
            searches = {id(probe.of): probe.of for probe in probes}.values()
            advance([one for one in searches if not one.waits], first=True)
    refusals.require_an_answer()


def search_for(trace: TraceToMark, config: RolloutsConfig) -> TraceSearch:
    """Return a trace's search."""
    return search_of(
        config.strategy, trace.steps, config.n, config.threshold, solved=trace.solved, budget=config.budget
    )


def read(probes: Sequence[Probe], grade: Grader) -> None:
    """Read the answers to complete probes, in one pass through the grading processes: each distinct rollout once."""
    parts = [Part.of(one) for one in probes]
    questions = list(dict.fromkeys(question for part in parts for question in part.questions))
    grades = dict(zip(questions, grade(questions), strict=True))
    for part in parts:
        part.keep([grades[question] for question in part.questions])


class Part(NamedTuple):
    """A probe's rollouts and their steps, without those that the server refused."""

    probe: Probe
    samples: list[Sample]
    split: list[list[str]]
    questions: list[Question]

    @classmethod
    def of(cls, probe: Probe) -> "Part":
        """Return the part of a probe's answers, ordered by number."""
        came = sorted(probe.came, key=lambda sample: sample.number)
        samples = [sample for sample in came if sample.finish_reason != REFUSED]
        split = [list(PARAGRAPHS.split(storable(sample.text))) for sample in samples]
        about = probe.of.trace.question
        return cls(probe, samples, split, [about._replace(steps=tuple(steps)) for steps in split])

    def keep(self, grades: Sequence[Grade]) -> None:
        """Store the rollouts with their grades, and their texts."""
        place = len(self.probe.wanted.prefix)
        self.probe.texts = [
            {"steps": place, "text": storable(sample.text), "outcome": found.outcome, "answer": found.answer}
            for sample, found in zip(self.samples, grades, strict=True)
        ]
        self.probe.rollouts = [
            Rollout(
                tuple(steps), None if found.outcome == UNGRADED else found.outcome == CORRECT, tokens_of(sample.text)
            )
            for sample, steps, found in zip(self.samples, self.split, grades, strict=True)
        ]
