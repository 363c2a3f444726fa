"""Replays a history of a path over HTTP: the shared cases, and real PRM800K records turned into cases."""

import itertools
from collections.abc import Iterator, Sequence
from typing import Any

from labeling.generation.next_step import holds_answer
from labeling.models import Label, Project, Round
from labeling.protocol.carry_over import normalised_step
from labeling.protocol.path import draw, merged
from labeling.queries.paths import prefix_key
from labeling.tests.paths.world import PathLabeler, make_problem, open_paths

Case = dict[str, Any]
Json = dict[str, Any]


def case_of(record: Json) -> Case:
    """Return a phase-1 record as a case: what was offered, rated, drawn and written."""
    moves: list[Json] = []
    for step in record["label"]["steps"]:
        completions, human = step["completions"] or [], step["human_completion"]
        shown = merged([one["text"] for one in completions])
        said = [completions[one.number]["rating"] for one in shown]
        moves.append({"do": "offer", "texts": [one["text"] for one in completions]})
        if len(completions) > 1:
            moves.append({"do": "rest", "rating": said[0]})
        if step["chosen_completion"] is None and human is None:
            moves.append({"do": "submit", "reason": record["label"]["finish_reason"], "ratings": said})
        else:
            written = human and human["text"]
            moves.append({"do": "step", "ratings": said, "human": written, "draws": step["chosen_completion"]})
    if moves[-1]["do"] != "submit":
        moves.append({"do": "submit", "reason": record["label"]["finish_reason"]})
    rules = {"most": 7, "neutral_may_be_chosen": False, "step_cap": 200, "given": []}
    return {**rules, "name": record["timestamp"], "moves": moves, "row": record["label"]["steps"]}


class Replay:
    """One case in progress. The generator writes the texts of the case's offers, in the order in which they are met."""

    def __init__(self, project: Project, case: Case, problem: str) -> None:
        self.case = case
        self.offers: dict[tuple[str, ...], list[str]] = {}
        make_problem(project, problem, subject=problem[:100].strip(), metadata={"starting_steps": case["given"]})
        rules = {name: case[name] for name in ("neutral_may_be_chosen", "step_cap")}
        self.round: Round = open_paths(
            project, completions=case["most"], filter={"subject": problem[:100].strip()}, **rules
        )
        self.ada = PathLabeler(project, self.writes)
        self.ended: Json = {}

    def writes(self, prefix: Sequence[str], number: int) -> str:
        """Return what the case offers there. A surplus sample is blank, and so dropped."""
        texts = self.offers.get(tuple(prefix), [])
        return texts[number] if number < len(texts) else ""

    def run(self) -> "Replay":
        """Do every move, each accepted or refused as the case says."""
        self._lay_out()
        self.ada.claim()
        self._settle_draws()
        for number, move in enumerate(self.case["moves"]):
            self._do(move)
            for name, expected in move.get("after", {}).items():
                assert self._about(name) == expected, (self.case["name"], number, move, name)
        return self

    def _walk(self) -> Iterator[tuple[Json, list[str], list[str]]]:
        """Yield each move with the path and the completions before it, as they result from the draws in the case."""
        path: list[str] = list(self.case["given"])
        offered: dict[tuple[str, ...], list[str]] = {}
        for move in self.case["moves"]:
            yield move, list(path), offered.get(tuple(path), [])
            if "refused" in move:
                continue
            if move["do"] == "offer":
                offered[tuple(path)] = move["texts"]
            elif move["do"] == "undo":
                path.pop()
            elif move["do"] == "step":
                drawn = move.get("draws")
                path.append(written(move) if drawn is None else offered[tuple(path)][drawn])

    def _lay_out(self) -> None:
        for move, path, _ in self._walk():
            if move["do"] == "offer":
                self.offers[tuple(path)] = move["texts"]

    def _settle_draws(self) -> None:
        """Set a seed of the round with which the server draws what the case says."""
        label = Label.objects.select_related("task__trace__problem").get(pk=self.ada.label["id"])
        wanted = [
            (prefix_key(label.task.trace, path).hex(), great, move["draws"])
            for move, path, texts in self._walk()
            if move["do"] == "step" and (great := self._great(texts, move)) is not None
        ]
        for seed in itertools.count():
            if all(draw(f"{seed}:{label.pk}:{key}", among) == drawn for key, among, drawn in wanted):
                Round.objects.filter(pk=self.round.pk).update(seed=seed)
                return

    @staticmethod
    def _great(texts: list[str], move: Json) -> list[int] | None:
        if move.get("draws") is None or "refused" in move:
            return None
        said = dict(zip((one.number for one in merged(texts)), move["ratings"], strict=False))
        great = [number for number, rating in said.items() if rating == 1]
        return great or [number for number, rating in said.items() if rating == 0]

    def _do(self, move: Json) -> None:
        ada, refused = self.ada, move.get("refused")
        status = 200 if refused is None else {"path_moved": 409, "nothing_to_undo": 409}.get(refused, 422)
        match move["do"]:
            case "offer":
                ada.look()
            case "rest":
                ada.send("rest", {"rating": move["rating"], "flagged": move["rating"] is None}, status=status)
            case "step":
                more = {name: move[name] for name in ("human", "final_answer") if move.get(name) is not None}
                said = ada.step(*move["ratings"], status=status, **more)
                assert refused is None or refused in (said["code"], *(one["code"] for one in said.get("missing", [])))
            case "undo":
                ada.undo(status=status)
            case "submit":
                self._submit(move, status)

    def _submit(self, move: Json, status: int) -> None:
        opened = (self.ada.path["open"] or {"completions": []})["completions"]
        ratings = [
            {"number": one["number"], "rating": rating, "flagged": False}
            for one, rating in zip(opened, move.get("ratings", []), strict=False)
        ]
        about = {"path": {"prefix_hash": self.ada.path["prefix_hash"], "ratings": ratings}}
        detail = {"finish_detail": {"text": "Stuck.", "kind": "vague"}} if move["reason"] != "solution" else {}
        self.ended = self.ada.submit(move["reason"], status=status, **about, **detail)

    def _about(self, name: str) -> Any:
        path = self.ada.path
        about = {"steps": [step["text"] for step in path["steps"]], "ended": path["ended"], "stuck": path["stuck"]}
        about["state"] = path["open"] and path["open"]["state"]
        about["may_write"] = path["open"] and path["open"]["may_write"]
        about["shown"] = path["open"] and [[one["text"], one["count"]] for one in path["open"]["completions"]]
        about["said"] = path["open"] and [one["rating"] for one in path["open"]["completions"]]
        about["discarded"] = [step["text"] for step in path["discarded"]]
        return about[name]


def written(move: Json) -> str:
    """Return the step that a move writes."""
    answer = move.get("final_answer")
    return f"{move['human'].rstrip()}\n\n# Answer\n\n{answer.strip()}" if answer else move["human"]


def nameless(record: Json) -> Case:
    """Return the same history with texts of our own: equal where they were equal, final where they were."""
    names: dict[str, str] = {}

    def named(text: str) -> str:
        end = "\n\n# Answer\n\n1" if holds_answer(text) else ""
        return names.setdefault(normalised_step(text), f"Step {len(names)}.{end}")

    case = case_of(record)
    for move in case["moves"]:
        if move["do"] == "offer":
            move["texts"] = [named(text) for text in move["texts"]]
        if move.get("human"):
            move["human"] = named(move["human"])
    return case
