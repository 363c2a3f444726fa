"""How workers process a chunk of a source's run: by kind, from the traces to their marks."""

from collections.abc import Callable, Iterable, Iterator, Sequence

from labeling.actions.source_runs import MarkWriter, NewMark
from labeling.configs import ConsensusConfig, JudgeConfig, RolloutsConfig, SourceConfig
from labeling.generation.sampling import REFUSED, Sample, seed_of, storable
from labeling.grading import WRONG, Grade, Question
from labeling.models import SourceChunk, StepScorer
from labeling.queries import sources
from labeling.queries.sources import TraceToMark
from labeling.sources import judging, verifier
from labeling.sources.consensus import consensus
from labeling.sources.equations import symbolic_sides
from worker.asking import Batch, Room, answers_together
from worker.generation import chat_server
from worker.refusals import Refusals
from worker.rollouts import WAY_OUT, roll_out

Grader = Callable[[Iterable[Question]], Iterator[Grade]]
TOGETHER = 128  # questions per message to the grading processes
MOST_SYMBOLIC = 40  # equations per trace that the grading processes check


def mark_chunk(
    chunk: SourceChunk,
    config: SourceConfig,
    writer: MarkWriter,
    *,
    grade: Grader,
    room: Room | None = None,
) -> None:
    """Mark the traces of the chunk that have no mark yet. Others may use the same server, in the same `room`. Raises
    GeneratorFailed, JobCancelled, LeaseLost.
    """
    writer.require()
    traces = sources.traces_of_chunk(chunk)
    match config:
        case RolloutsConfig():
            roll_out(traces, config, writer, grade, room)
        case JudgeConfig():
            judge(traces, config, writer, room)
        case ConsensusConfig():
            agree(traces, config, writer)
        case _:
            verify(traces, writer, grade, config.version)


def verify(traces: Sequence[TraceToMark], writer: MarkWriter, grade: Grader, version: str) -> None:
    """Check traces with that version of the checks, each next to the others of its problem."""
    pool = sources.others_of(traces)
    for trace in traces:
        writer.require()
        others = [steps for pk, steps in pool[trace.problem_id] if pk != trace.id]
        checks = verifier.check(trace.problem, trace.steps, others, version=version)
        found = verifier.marked(checks, _symbolic(trace.steps, grade), version=version)
        writer.write([NewMark(trace.id, found)])


def _symbolic(steps: Sequence[str], grade: Grader) -> dict[int, list[str]]:
    """Return, by step, sentences about equations with roots and the like that the grader finds false."""
    sides = [(place, *pair) for place, step in enumerate(steps) for pair in symbolic_sides(step)][:MOST_SYMBOLIC]
    grades = grade(Question((), left, right) for _, left, right in sides)
    found: dict[int, list[str]] = {}
    for (place, left, right), one in zip(sides, grades, strict=True):
        if one.outcome == WRONG:
            found.setdefault(place, []).append(f"{left} = {right} does not hold")
    return found


def agree(traces: Sequence[TraceToMark], config: ConsensusConfig, writer: MarkWriter) -> None:
    """Mark by what the other sources say together. Traces that one of them has not looked at are left for later."""
    said = sources.marks_by_source(config.sources, [trace.id for trace in traces])
    names = dict(StepScorer.objects.filter(pk__in=config.sources).values_list("pk", "name"))
    for trace in traces:
        writer.require()
        of_trace = said[trace.id]
        if len(of_trace) < len(config.sources):
            continue
        length = len(trace.steps)
        padded = {
            names[pk]: one if one.steps else one.__class__([None] * length, one.first_error, one.why)
            for pk, one in sorted(of_trace.items())
        }
        writer.write([NewMark(trace.id, consensus(config.rule, padded, length))])


def judge(traces: Sequence[TraceToMark], config: JudgeConfig, writer: MarkWriter, room: Room | None = None) -> None:
    """Ask a model for the first wrong step, `votes` times per trace; with `again`, until it says the same twice.

    A server's refusal says nothing about the trace; if it refuses every request, nothing is marked. Raises
    GeneratorFailed.
    """
    asked = config.judge
    heard: dict[int, list[list[Sample]]] = {trace.id: [] for trace in traces}
    ended: list[NewMark] = []
    refusals = Refusals(asked.generator, asked.model, WAY_OUT)
    left = {trace.id: config.votes for trace in traces}
    with chat_server(asked.generator, counts=True) as server:
        writer.spent = lambda: server.spent

        def ask(batch: Batch[TraceToMark]) -> list[Sample]:
            trace, [vote] = batch.about, batch.numbers
            prompt = judging.write_prompt(asked.prompt, trace.problem, trace.steps)
            said: list[Sample] = []
            for turn in range(1 + config.again):
                text = judging.ask_again(prompt, said[-1].text) if said else prompt
                seed = seed_of(asked.seed, trace.hash, vote * (1 + config.again) + turn)
                came = server.samples(asked, text, [turn], seed)
                said += [sample._replace(text=storable(sample.text)) for sample in came]
                if said[-1].finish_reason == REFUSED or _is_stable(asked.prompt, said, len(trace.steps)):
                    break
            return said

        batches = iter([Batch(trace, [vote]) for trace in traces for vote in range(config.votes)])
        for came in answers_together(server, ask, batches, writer.require, writer.may_spend, room=room):
            for trace, samples in came:
                heard[trace.id].append(samples)
                refusals.hear(samples[-1:])
                left[trace.id] -= 1
                if left[trace.id] == 0:
                    ended.append(_judged(trace, asked.prompt, heard.pop(trace.id)))
            if ended and refusals.answered:
                writer.write(ended)
                ended = []
    refusals.require_an_answer()


def _is_stable(template: str, said: Sequence[Sample], steps: int) -> bool:
    """Return whether the last two answers are both readable and say the same."""
    last = [judging.read_vote(template, one.text, steps).first_error for one in said[-2:]]
    return len(last) == 2 and last[0] is not None and last[0] == last[1]


def _vote(template: str, said: Sample, steps: int) -> judging.Vote:
    if said.finish_reason == REFUSED:
        return judging.Vote(None, f"the server refused it: {said.text[:300]}")
    return judging.read_vote(template, said.text, steps)


def _judged(trace: TraceToMark, template: str, heard: Sequence[Sequence[Sample]]) -> NewMark:
    """Mark by the last answer of each vote; all answers are kept. A refusal is not an answer of the judge."""
    votes = [_vote(template, said[-1], len(trace.steps)) for said in heard]
    marked = judging.marked(votes, len(trace.steps))
    marked.evidence["turns"] = [len(said) for said in heard]
    texts = [
        {"vote": place, "turn": turn, "first_error": votes[place].first_error, "text": one.text}
        for place, said in enumerate(heard)
        for turn, one in enumerate(said)
        if one.finish_reason != REFUSED
    ]
    return NewMark(trace.id, marked, texts)
