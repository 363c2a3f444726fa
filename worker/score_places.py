"""Sends scores of labels to the services that recorded the runs: Langfuse, LangSmith, or a collector of OTLP logs.

Langfuse's POST /api/public/scores overwrites a score with the same id. LangSmith's POST /feedback refuses an id that it
already has (409), which is then changed by PATCH. A collector only adds: what was sent to it is not sent again
(SentScore).
"""

import base64
import os
from collections.abc import Callable, Mapping
from typing import Any

from annotation_app.label_targets import LabelTarget
from labeling.errors import PushRefused
from worker.http.json_requests import BusyError, JsonRequests

CONFLICT = 409
CHANGED = ("score", "value", "comment", "feedback_source")  # the fields of feedback that LangSmith allows to be changed
Json = dict[str, Any]


def opened_service(target: LabelTarget) -> Callable[[Json], None]:
    """Return a function that sends requests to a service, one at a time. Raises PushRefused."""
    token = os.environ.get(target.token_env, "")
    if not token or not (token.isascii() and token.isprintable()):
        raise PushRefused(f"This worker has no token. Set the environment variable {target.token_env} and restart it.")
    service = JsonRequests(target.server, _headers(target, token))

    def send(body: Json) -> None:
        try:
            SENDERS[target.kind](service, body)
        except BusyError as fault:
            raise PushRefused(f"{target.server} gave no answer after several attempts: {fault}") from fault

    return send


def _headers(target: LabelTarget, token: str) -> dict[str, str]:
    if target.kind == "langfuse":
        return {"Authorization": f"Basic {base64.b64encode(token.encode()).decode()}"}
    if target.kind == "langsmith":
        return {"x-api-key": token}
    return {target.header: f"Bearer {token}" if target.header.lower() == "authorization" else token}


def _to_langfuse(service: JsonRequests, body: Json) -> None:
    _require_taken(service, service.ask("POST", "/api/public/scores", body))


def _to_langsmith(service: JsonRequests, body: Json) -> None:
    answer = service.ask("POST", "/feedback", body)
    if answer.status_code == CONFLICT:
        changed = {name: body[name] for name in CHANGED if name in body}
        answer = service.ask("PATCH", f"/feedback/{body['id']}", changed)
    _require_taken(service, answer)


def _to_collector(service: JsonRequests, body: Json) -> None:
    """Send to a collector, which may accept a request and still reject some records."""
    answer = service.ask("POST", "/v1/logs", body)
    _require_taken(service, answer)
    try:
        partial = answer.json().get("partialSuccess") or {}
        rejected = int(partial.get("rejectedLogRecords") or 0)
    except (ValueError, AttributeError):
        return
    if rejected:
        raise PushRefused(f"{service.server} rejected {rejected} records: {partial.get('errorMessage')}")


SENDERS: Mapping[str, Callable[[JsonRequests, Json], None]] = {
    "langfuse": _to_langfuse,
    "langsmith": _to_langsmith,
    "otlp": _to_collector,
}


def _require_taken(service: JsonRequests, answer: Any) -> None:
    if not answer.is_success:
        raise PushRefused(f"{service.server} answered {answer.status_code}: {answer.text[:500]}")
