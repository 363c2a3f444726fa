"""The requests that send an export's scores to a service, each with the scores it contains. Pure."""

import hashlib
from collections.abc import Iterable, Iterator, Mapping
from typing import Any, NamedTuple
from uuid import UUID

import orjson

Json = dict[str, Any]
FORMAT_OF = {"langfuse": "langfuse_scores", "langsmith": "langsmith_feedback", "otlp": "otel_evaluations"}


class Part(NamedTuple):
    """A score as it is sent: its id, a digest of its content, and the body of its request (OTLP: its log record)."""

    score: UUID
    digest: bytes
    body: Json


class Sending(NamedTuple):
    """The content of one request: for OTLP all records of a run, for the others one score."""

    parts: list[Part]
    envelope: Json | None = None  # the OTLP request that contains the parts as records

    def body(self, parts: Iterable[Part]) -> Json:
        """The body of a request with only these parts."""
        if self.envelope is None:
            return next(iter(parts)).body
        [resource] = self.envelope["resourceLogs"]
        [scope] = resource["scopeLogs"]
        records = [part.body for part in parts]
        return {"resourceLogs": [{**resource, "scopeLogs": [{**scope, "logRecords": records}]}]}


def sendings(rows: Iterable[Json], kind: str) -> Iterator[Sending]:
    """The requests for the rows of an export."""
    for row in rows:
        if kind != "otlp":
            yield Sending([_part(row["id"], row)])
            continue
        records = row["resourceLogs"][0]["scopeLogs"][0]["logRecords"]
        yield Sending([_part(_uid(record), record) for record in records], row)


def _part(ident: str, body: Json) -> Part:
    said = orjson.dumps(body, option=orjson.OPT_SORT_KEYS)
    return Part(UUID(ident), hashlib.sha256(said).digest()[:16], body)


def _uid(record: Mapping[str, Any]) -> str:
    return next(str(one["value"]["stringValue"]) for one in record["attributes"] if one["key"] == "log.record.uid")
