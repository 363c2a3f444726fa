"""Rollouts of a chunk's traces: each trace's search says which prefixes it wants to know of, and waits for its own
answers alone, so that as many requests are in the air as the server takes.
"""

from collections import deque
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from itertools import islice
from typing import Any, NamedTuple

from labeling.actions.source_runs import Ledger, NewMark
from labeling.configs import RolloutsConfig
from labeling.generation.prompts import write_completion_prompt
from labeling.generation.sampling import REFUSED, Sample, runs, seed_of, storable
from labeling.generation.splitting import Splitter
from labeling.grading import CORRECT, GRADER_VERSION, UNGRADED, Grade, Question
from labeling.queries.sources import TraceToMark
from labeling.sources.marks import Marked
from labeling.sources.rollouts import TraceSearch, search_of, tokens_of
from labeling.sources.tree import Rollout, Wanted
from worker.generation import Batch, answers_together, chat_server

Grader = Callable[[Iterable[Question]], Iterator[Grade]]
PARAGRAPHS = Splitter("blank_line")


@dataclass
class Searching:
    """A trace, its search, the prefix it waits for, and what came of that."""

    trace: TraceToMark
    search: TraceSearch
    wanted: Wanted = Wanted((), 0)
    came: list[Sample] = field(default_factory=list)
    before: dict[tuple[str, ...], int] = field(default_factory=dict)  # samples of a prefix that were asked for
    texts: list[dict[str, Any]] = field(default_factory=list)
    marked: Marked | None = None

    def go_on(self, rollouts: Sequence[Rollout] | None) -> None:
        """Send what came, and learn what is wanted next; `marked` when that was all."""
        try:
            self.wanted = self.search.send(rollouts)  # type: ignore[arg-type]  # None begins a generator
        except StopIteration as end:
            self.marked = end.value
        self.came = []

    def batches(self, longest: int) -> list[Batch["Searching"]]:
        """The requests for what is wanted; samples are numbered on where a prefix is asked for again."""
        first = self.before.get(self.wanted.prefix, 0)
        self.before[self.wanted.prefix] = first + self.wanted.n
        return [Batch(self, numbers) for numbers in runs(list(range(first, first + self.wanted.n)), longest)]


class Waiting:
    """Requests to be sent. It may be empty now and hold more later. A trace that was begun goes before others."""

    def __init__(self) -> None:
        self.batches: deque[Batch[Searching]] = deque()

    def __iter__(self) -> Iterator[Batch[Searching]]:
        return self

    def put(self, batches: Sequence[Batch[Searching]], *, first: bool) -> None:
        """More to be sent."""
        if first:
            self.batches.extendleft(reversed(batches))
        else:
            self.batches.extend(batches)

    def __next__(self) -> Batch[Searching]:
        if not self.batches:
            raise StopIteration
        return self.batches.popleft()


def roll_out(traces: Sequence[TraceToMark], config: RolloutsConfig, ledger: Ledger, grade: Grader) -> None:
    """Mark traces by rollouts of the config's completer; each mark is written as soon as its search ends."""
    asked, waiting = config.completer, Waiting()
    with chat_server(asked.generator, counts=True) as server:
        ledger.spent = lambda: server.spent

        def ask(batch: Batch[Searching]) -> list[Sample]:
            trace, prefix = batch.about.trace, batch.about.wanted.prefix
            prompt = write_completion_prompt(asked.prompt, trace.problem, prefix)
            key = trace.hash + "\n\n".join(prefix).encode(errors="replace")
            return server.samples(asked, prompt, batch.numbers, seed_of(asked.seed, key, batch.numbers[0]))

        def advance(one: Searching, rollouts: Sequence[Rollout] | None) -> None:
            one.go_on(rollouts)
            if one.marked is None:
                waiting.put(one.batches(server.batch), first=rollouts is not None)
            else:
                one.marked.evidence.update(grader_version=GRADER_VERSION, strategy=config.strategy)
                ledger.write([NewMark(one.trace.id, one.marked, one.texts)])

        for trace in traces:
            search = search_of(
                config.strategy, trace.steps, config.n, config.threshold, solved=trace.solved, budget=config.budget
            )
            advance(Searching(trace, search), None)
        for came in answers_together(server, ask, waiting, ledger.require):
            whole = []
            for one, samples in came:
                one.came += samples
                if len(one.came) >= one.wanted.n:
                    whole.append(one)
            for one, rollouts in graded(whole, grade):
                advance(one, rollouts)


def graded(whole: Sequence[Searching], grade: Grader) -> Iterator[tuple[Searching, list[Rollout]]]:
    """What came of several searches, with whether each answer is right, in one go through the grading processes."""
    parts = [Part.of(one) for one in whole]
    grades = grade(question for part in parts for question in part.questions)
    for part in parts:
        yield part.one, part.kept(list(islice(grades, len(part.samples))))


class Part(NamedTuple):
    """A search's rollouts and their steps; what the server refused is none."""

    one: Searching
    samples: list[Sample]
    split: list[list[str]]

    @classmethod
    def of(cls, one: Searching) -> "Part":
        """Of what came."""
        samples = [sample for sample in one.came if sample.finish_reason != REFUSED]
        return cls(one, samples, [list(PARAGRAPHS.split(storable(sample.text))) for sample in samples])

    @property
    def questions(self) -> list[Question]:
        """For the grader."""
        return [self.one.trace.question._replace(steps=tuple(steps)) for steps in self.split]

    def kept(self, grades: Sequence[Grade]) -> list[Rollout]:
        """The rollouts with their grades; the texts are kept."""
        place = len(self.one.wanted.prefix)
        self.one.texts += [
            {
                "steps": place,
                "text": storable(sample.text),
                "outcome": found.outcome,
                "answer": found.answer,
            }
            for sample, found in zip(self.samples, grades, strict=True)
        ]
        return [
            Rollout(
                tuple(steps), None if found.outcome == UNGRADED else found.outcome == CORRECT, tokens_of(sample.text)
            )
            for sample, steps, found in zip(self.samples, self.split, grades, strict=True)
        ]
