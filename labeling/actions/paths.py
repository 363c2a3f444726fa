"""Choosing a path: what a labeler is shown next, what they say about it, and which step is drawn. Each write locks the
label's row, so two tabs take turns. A request about a path that has moved on is refused, with the current path.
"""

from collections.abc import Mapping, Sequence
from typing import Any
from uuid import UUID

from django.db import transaction
from django.utils import timezone

from labeling import queries
from labeling.actions.label_leases import lease_end
from labeling.actions.step_offers import ask_ahead, ask_for, wake_again
from labeling.errors import LabelNotOpen, NothingToUndo, PathMoved, RestNotWanted, StepIncomplete, UndoUsedUp
from labeling.formats.prm800k import ANSWER_MARK
from labeling.models import Label, PathStep
from labeling.protocol.path import Lack, RatingOrFlag, Sent, among, draft_without_step, draw, lacks, merged
from labeling.queries.held_labels import HELD
from labeling.queries.paths import Path, path_of

Json = dict[str, Any]
MOST_TAKEN_BACK = 50  # steps per label: each answer about its path returns all of them


@transaction.atomic
def look_at_path(label: Label) -> Path:
    """Return the current path. Requests completions for the open step if nobody has yet."""
    path = path_of(label)
    if not path.is_open:
        return path
    wanted = path.most if label.status == Label.Status.OPEN else 1
    if path.offer is None or path.offer.wanted < wanted:
        return _asked(path, wanted)
    if path.is_awaited:
        wake_again(path.offer)
    return path


@transaction.atomic
def show_rest(label: Label, *, prefix_hash: str, rating: int | None, flagged: bool = False, more: int = 0) -> Path:
    """Show the other completions, because the first one is not great. `more`: how many further batches of this size,
    once all were shown.

    Raises PathMoved, RestNotWanted.
    """
    path = _held_path(label, prefix_hash)
    if rating == 1 and not path.has_rest:
        raise RestNotWanted
    step = _open_step(path)
    said = queries.paths.said_of(step)
    if path.visible and (rating is not None or flagged):
        said[0] = RatingOrFlag(rating, flagged)
    step.rest, step.said = True, _as_rows(said)
    if more > step.more and not path.may_ask_more:
        raise RestNotWanted("This step has no more completions, or not all of them have been shown yet.")
    step.more = max(step.more, more)
    step.save()
    return look_at_path(label)


@transaction.atomic
def submit_step(
    label: Label,
    *,
    prefix_hash: str,
    key: UUID,
    ratings: Sequence[Json],
    human: str | None = None,
    final_answer: str | None = None,
) -> Path:
    """Accept a step's ratings, and draw the next step of the path among the great ones, or use the labeler's own.

    Exactly once per `key`. Raises PathMoved, StepIncomplete.
    """
    label = _locked(label)
    if PathStep.objects.filter(label=label, key=key, discarded_at=None).exists():
        return look_at_path(label)
    path = _held_path(label, prefix_hash)
    if PathStep.objects.filter(label=label, key=key).exists():
        raise PathMoved(path=path)  # it was accepted, and taken back
    sent = Sent(_said(ratings), _written(human, final_answer))
    shown = _seen(path, sent)
    _require(path, sent, shown)
    step = _open_step(path)
    _decide(path, step, sent)
    step.said, step.shown, step.key, step.submitted_at = _as_rows(sent.said), len(shown), key, path.now
    step.save()
    seen: Json = {"leased_until": lease_end(label.project, path.now), "last_seen_at": path.now}
    # The same revision as before: the page that sent the step goes on from the draft that it saved.
    left = draft_without_step(label.draft, path.key.hex())
    Label.objects.filter(pk=label.pk).update(**seen, **({} if left is None else {"draft": left}))
    return look_at_path(label)


@transaction.atomic
def undo_step(label: Label, *, prefix_hash: str) -> Path:
    """Open the last step again, with its ratings. Its earlier result stays in the history.

    Raises PathMoved, NothingToUndo, UndoUsedUp.
    """
    path = _held_path(label, prefix_hash)
    if not path.steps:
        raise NothingToUndo(path=path)
    if sum(step.submitted_at is not None for step in path.discarded) >= MOST_TAKEN_BACK:
        said = f"You have taken back {MOST_TAKEN_BACK} steps of this path, which is the limit."
        raise UndoUsedUp(f"{said} Continue from the last step, or give the path up and say why.", path=path)
    now = timezone.now()
    if path.open is not None:
        path.open.discarded_at = now
        path.open.save(update_fields=["discarded_at"])
    last = path.steps[-1]
    PathStep.objects.filter(pk=last.pk).update(discarded_at=now)
    PathStep.objects.create(
        label=label, step=last.step, offer=last.offer, rest=last.rest, more=last.more, said=last.said
    )
    return look_at_path(label)


def look_ahead(labels: Sequence[Label | None]) -> None:
    """Request the first completions of newly claimed labels, so that nobody waits for them."""
    for label in labels:
        if label is not None and queries.paths.makes_path(label):
            look_at_path(label)


def _locked(label: Label) -> Label:
    locked = queries.labels.lock_label(label)
    if locked.status not in HELD:
        raise LabelNotOpen("You no longer hold this label. Go on with it, and the path is as you left it.")
    return locked


def _held_path(label: Label, prefix_hash: str) -> Path:
    """Return the path of a held label under its lock. Raises PathMoved if another step is open than was sent."""
    path = look_at_path(_locked(label))
    if path.key.hex() != prefix_hash:
        raise PathMoved(path=path)
    return path


def _open_step(path: Path) -> PathStep:
    """Return the row of the open step. Raises PathMoved if the path has ended."""
    if path.open is not None:
        return path.open
    if path.offer is None:
        raise PathMoved("The path has ended: submit the label, or take the last step back.", path=path)
    return PathStep(label=path.label, step=len(path.texts), offer=path.offer)


def _asked(path: Path, wanted: int) -> Path:
    offer = ask_for(path.round, path.trace, path.texts, wanted=wanted)
    if wanted > 1:
        ask_ahead(path.round, path.trace, offer)
    return path_of(path.label)


def _said(ratings: Sequence[Json]) -> dict[int, RatingOrFlag]:
    return {one["number"]: RatingOrFlag(one["rating"], one["flagged"]) for one in ratings}


def _as_rows(said: Mapping[int, RatingOrFlag]) -> list[list[Any]]:
    return [[number, one.rating, one.flagged] for number, one in sorted(said.items()) if one.is_given]


def _written(human: str | None, final_answer: str | None) -> str | None:
    """Return the labeler's own step, with the final answer in PRM800K's form."""
    if human is None or not (final_answer or "").strip():
        return human
    return human.rstrip() + ANSWER_MARK + (final_answer or "").strip()


def _seen(path: Path, sent: Sent) -> list[str]:
    """Return the completions that the labeler saw. After a great rating, later ones do not count: they may have arrived
    at the last moment, since nobody waits for more with a great one in hand.
    """
    texts = path.visible
    if not sent.great:
        return texts
    seen = max(sent.said)
    return [text for place, text in enumerate(texts) if place <= _last_place(texts, seen)]


def _last_place(texts: Sequence[str], seen: int) -> int:
    """Return the last position up to which completions equal one that was seen."""
    later = [one.number for one in merged(texts) if one.number > seen]
    return min(later, default=len(texts)) - 1


def _require(path: Path, sent: Sent, shown: Sequence[str]) -> None:
    if not path.is_open:
        _open_step(path)
    before = path.texts[-1] if path.texts else None
    found = lacks(path.config.rules, shown, sent, rest_left=path.rest_left, before=before)
    if not found and sent.written is not None and not path.may_write:
        found = [Lack("rest_not_seen")]
    if found:
        raise StepIncomplete(missing=[{"step": len(path.texts), **lack.__dict__} for lack in found], path=path)


def _decide(path: Path, step: PathStep, sent: Sent) -> None:
    """Set the step's result, with what it was drawn from."""
    numbers = among(sent)
    if numbers:
        seed = f"{path.round.seed}:{path.label.pk}:{path.key.hex()}"
        step.chosen, step.draw = draw(seed, numbers), {"seed": seed, "among": numbers}
    else:
        step.written = sent.written
