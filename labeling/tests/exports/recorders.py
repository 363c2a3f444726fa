"""Labels as read by the services and tools that they go home to, rewritten from their source.

`langfuse_score`: langfuse 5.0.4 (api/scores/types/create_score_request.py). `langsmith_feedback`: langsmith 0.15.0
(schemas.py: FeedbackCreate). `inspect_log`: inspect_ai (log/_score.py, log/_edit.py, scorer/_metric.py), as far as
editing a score needs it. `scout_cases`: inspect_scout 0.6.2 (_validation/validation.py, types.py).
"""

import csv
import io
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import datetime
from types import ModuleType, SimpleNamespace
from typing import Any
from uuid import UUID

Json = dict[str, Any]
SCORE = {"id", "traceId", "observationId", "name", "value", "dataType", "comment", "metadata", "timestamp"}
FEEDBACK = {"id", "run_id", "trace_id", "key", "score", "value", "comment", "created_at", "feedback_source"}


def langfuse_score(row: Json) -> None:
    """Raise AssertionError or ValueError if the service would refuse the body."""
    assert row.keys() <= SCORE
    assert isinstance(row["name"], str)
    assert type(row["value"]) is float
    assert row["dataType"] == "NUMERIC"
    assert row["traceId"]
    assert datetime.fromisoformat(row["timestamp"]).tzinfo is not None


def langsmith_feedback(row: Json) -> None:
    """Raise AssertionError or ValueError if the service would refuse the body."""
    assert row.keys() <= FEEDBACK
    for name in ("id", "run_id", "trace_id"):
        UUID(row[name])
    assert type(row["score"]) is float
    assert isinstance(row["value"], str)
    assert row["feedback_source"].keys() == {"type", "metadata"}
    datetime.fromisoformat(row["created_at"])


class Log(SimpleNamespace):
    """A log as `read_eval_log` returns it, and the two modules that a script imports."""

    @contextmanager
    def installed(self) -> Iterator[None]:
        """Make `inspect_ai` importable within the block."""
        log, scorer = ModuleType("inspect_ai.log"), ModuleType("inspect_ai.scorer")
        vars(log).update(
            ProvenanceData=_record("author", "timestamp", "reason", "metadata"),
            edit_score=_edit_score,
        )
        vars(scorer).update(
            Score=_record("value", "explanation", "metadata", "history"),
            ScoreEdit=_record("value", "explanation", "metadata", "provenance"),
        )
        modules = {"inspect_ai": ModuleType("inspect_ai"), "inspect_ai.log": log, "inspect_ai.scorer": scorer}
        sys.modules.update(modules)
        try:
            yield
        finally:
            for name in modules:
                del sys.modules[name]


def inspect_log(log: Json) -> Log:
    """Return a log that was written as JSON."""
    samples = [
        SimpleNamespace(
            id=one["id"],
            epoch=one["epoch"],
            scores={
                name: SimpleNamespace(value=score["value"], history=[]) for name, score in (one["scores"] or {}).items()
            },
        )
        for one in log["samples"]
    ]
    return Log(eval=SimpleNamespace(eval_id=log["eval"]["eval_id"]), samples=samples)


def _record(*names: str) -> Any:
    def made(**values: Any) -> SimpleNamespace:
        assert set(values) <= set(names), set(values) - set(names)
        return SimpleNamespace(**values)

    return made


def _edit_score(log: Any, sample_id: int | str, score_name: str, edit: Any, recompute_metrics: bool = True) -> None:
    sample = next((one for one in log.samples if one.id == sample_id), None)
    if sample is None or score_name not in sample.scores:
        raise ValueError(f"Score '{score_name}' not found in sample {sample_id}")
    sample.scores[score_name].history.append(edit)


def scout_cases(text: str) -> list[Json]:
    """Return the cases of a validation set in CSV: known columns, exactly one target each, values of its type."""
    cases = list(csv.DictReader(io.StringIO(text)))
    for case in cases:
        assert case.keys() == {"id", "target", "split", "task_id", "task_repeat"}
        assert case["id"]
        assert "," not in case["id"], "Scout would take it for several"
        case["target"] = {"true": True, "false": False}.get(case["target"], case["target"])
        assert case["target"] not in ("", None)
    return cases
