"""Writes docs/refusals.md from the classes of `labeling.errors` and the server's own refusals (`make refusals`)."""

import inspect
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

PAGE = Path(__file__).resolve().parent.parent / "docs" / "refusals.md"
EXAMPLE = (
    '{"code": "label_held", "detail": "You are labeling this trace, or it is your next task. Submit or release your'
    ' label, then come back."}'
)
HEAD = f"""# Refusals

Generated from the code (`make refusals`): the classes of `labeling/errors/` and the server's own refusals.

Every API answer with a status of 400 or above is one JSON object:

```json
{EXAMPLE}
```

- **`code` is for programs.** It stays the same when its message is rewritten. A new version may add codes, so handle
  a code that you do not know by its status. Before 1.0, a minor version may rename or remove a code; the
  [CHANGELOG](../CHANGELOG.md) lists these changes.
- **`detail` is for people.** It says what is wrong and what to do. It may change at any time, so do not compare it.
- **Some codes come with further keys**: `fields` with `invalid`, `missing` with `submission_incomplete`, `retry_at`
  with `locked_out`, and others named in the table. `Refusal` in the API's schema lists them all. Server faults (500,
  503) come with `request_id`, which lets the operator find the request in the log.
- In the [client](../client/README.md), `stepmark.Refused` has `status`, `code`, `detail` and, in `said`, everything
  else. On the command line, `stepmark` prints `detail` and exits with code 1.
- `/scim/v2` answers as its standard says (RFC 7644), and the pages under `/admin` answer with HTML pages.

| status | means | retry the same request? |
| --- | --- | --- |
| 400, 422 | the request is malformed, or asks for something that is not accepted | no: change the request |
| 401 | you are not logged in, or not as the person that the page belongs to | after logging in |
| 403 | this person or this token may not do this | no; `check_again`: after confirming who you are |
| 404 | it does not exist, or you may not see it: the answer is the same for both | no |
| 405, 406, 415 | the address does not support this method, or this format of the body or the answer | no |
| 408, 503, 507 | something was away, slow or full; nothing was kept | by `Retry-After`; `took_too_long`: ask for less |
| 409 | the request is valid, but the current state does not allow it | once the state has changed |
| 413 | the body is larger than the server accepts | no: send less |
| 423, 429 | too many tries; `Retry-After` or `retry_at` says when you can try again | then |
| 500, 502 | a fault of this server, or of another one that it called | perhaps; tell the operator the `request_id` |

The API does not return all of these codes. With some, a job fails and shows the message as its `error`; others are
printed by a command.

| code | status | when | message (empty: depends on the case) |
| --- | --- | --- | --- |
"""


class Row(NamedTuple):
    """A code with its status, when it occurs, and its message, which is empty if each case has its own."""

    code: str
    status: int
    when: str
    said: str = ""


def refusals_page() -> str:
    """Return the whole page."""
    rows = sorted({*_of_the_product(), *_of_the_server()})
    return HEAD + "".join(f"| `{one.code}` | {one.status} | {_cell(one.when)} | {_cell(one.said)} |\n" for one in rows)


def _of_the_product() -> Iterator[Row]:
    from labeling.errors import LabelingError  # noqa: PLC0415  (needs Django's settings)

    waiting = [LabelingError]
    while waiting:
        kind = waiting.pop()
        waiting.extend(one for one in kind.__subclasses__() if one.__module__.startswith("labeling.errors"))
        if "code" in vars(kind) and kind is not LabelingError:
            own = kind.sentence if kind.sentence != LabelingError.sentence else ""
            yield Row(kind.code, kind.status, (inspect.getdoc(kind) or "").split("\n\n")[0], own)


def _of_the_server() -> Iterator[Row]:
    """Yield the codes that no class of labeling.errors has. A test checks them against the server's own modules."""
    from annotation_app import exception_handler as ours  # noqa: PLC0415
    from annotation_app.server.bodies import NoRoom, TooLarge, TooSlow  # noqa: PLC0415

    for kind in (TooSlow, TooLarge, NoRoom):
        yield Row(kind.code, kind.status, inspect.getdoc(kind) or "", kind.detail)
    away = "PostgreSQL or Valkey does not answer."
    yield Row(ours.UNAVAILABLE["code"], 503, away, "")
    long = "PostgreSQL stopped a statement that ran too long (WEB_STATEMENT_SECONDS)."
    yield Row(ours.TOO_LONG["code"], 503, long, ours.TOO_LONG["detail"])
    yield Row("server_error", 500, "An unexpected fault; its traceback is in the log.", ours.SERVER_ERROR)
    yield Row("not_authenticated", 401, "You are not logged in, or the API token is unknown, revoked or expired.")
    yield Row("method_not_allowed", 405, "The address does not support this method.")
    yield Row("not_acceptable", 406, "The address cannot answer in the requested format.")
    yield Row("unsupported_media_type", 415, "The body is neither JSON nor in the format of a file upload.")
    many = "Too many requests in a minute from one person or address (docs/operations.md, Allowances)."
    yield Row("throttled", 429, many)


def _cell(text: str) -> str:
    return " ".join(text.split()).replace("|", "\\|")


def main() -> None:
    """Write the page."""
    import django  # noqa: PLC0415  (the settings are read only when asked for)

    django.setup()
    sys.stdout.write(f"{PAGE}\n")
    PAGE.write_text(refusals_page())


if __name__ == "__main__":
    main()
