"""docs/refusals.md, made from the classes of `labeling.errors` and what the server itself refuses (`make refusals`)."""

import inspect
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

PAGE = Path(__file__).resolve().parent.parent / "docs" / "refusals.md"
EXAMPLE = (
    '{"code": "label_held", "detail": "You are labeling this trace, or it is your next. Submit or release your label,'
    ' then look here again."}'
)
HEAD = f"""# Refusals

Written from the code (`make refusals`): the classes of `labeling/errors/`, and what the server itself refuses.

Every answer of the API from 400 on is one JSON object:

```json
{EXAMPLE}
```

- **`code` is for programs.** It stays the same when its sentence is rewritten. A new version may bring new ones, so
  treat a code that you do not know by its status. Before 1.0 a minor version may rename or drop one;
  [CHANGELOG](../CHANGELOG.md) says so.
- **`detail` is for people**: one sentence, with the way out. It may change at any time; do not compare it.
- **Further keys** come with some codes: `fields` with `invalid`, `missing` with `submission_incomplete`, `retry_at`
  with `locked_out`, and others that the table names. `Refusal` in the API's schema lists all. With faults of the
  server (500, 503) comes `request_id`, by which the operator finds the request in the log.
- `stepmark.Refused` of the [client](../client/README.md) has `status`, `code`, `detail` and, in `said`, everything
  else. `stepmark` on the command line prints `detail` and ends with exit code 1.
- `/scim/v2` answers as its standard says (RFC 7644), and the pages under `/admin` answer with pages.

| status | means | try the same again? |
| --- | --- | --- |
| 400, 422 | what was sent cannot be taken, by its form or by what it asks for | no: send something else |
| 401 | nobody is logged in, or not the person that the page is of | after logging in |
| 403 | this person, or this token, may not | no; `check_again`: after confirming who you are |
| 404 | there is no such thing, or it is not yours to see: the two are one answer | no |
| 405, 406, 415 | the address has no such method, or body or answer has another form | no |
| 408, 503, 507 | something was away, slow or full; nothing is kept | by `Retry-After`; `took_too_long`: ask for less |
| 409 | well asked, but the state of things does not allow it now | once the state is another |
| 413 | more bytes than are taken | no: send less |
| 423, 429 | too often; `Retry-After` or `retry_at` say when more is looked at | then |
| 500, 502 | a fault of the server, or of another one that it asked | perhaps; tell the operator the `request_id` |

Some codes are no answer of the API: a job fails with the sentence (the `error` on its page), or a command prints it.

| code | status | when | what is said; empty: it depends on the case |
| --- | --- | --- | --- |
"""


class Row(NamedTuple):
    """A code with its status, when it comes, and the sentence that goes with it; empty where each case has its own."""

    code: str
    status: int
    when: str
    said: str = ""


def refusals_page() -> str:
    """The whole page."""
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
    """What no class of labeling.errors says: a test holds these codes to those in the server's own modules."""
    from annotation_app import exception_handler as ours  # noqa: PLC0415
    from annotation_app.server.bodies import NoRoom, TooLarge, TooSlow  # noqa: PLC0415

    for kind in (TooSlow, TooLarge, NoRoom):
        yield Row(kind.code, kind.status, inspect.getdoc(kind) or "", kind.detail)
    away = "PostgreSQL or Valkey does not answer."
    yield Row(ours.UNAVAILABLE["code"], 503, away, "")
    long = "PostgreSQL broke a statement off (WEB_STATEMENT_SECONDS)."
    yield Row(ours.TOO_LONG["code"], 503, long, ours.TOO_LONG["detail"])
    yield Row("server_error", 500, "A fault that nobody foresaw; its traceback is in the log.", ours.SERVER_ERROR)
    yield Row("not_authenticated", 401, "Nobody is logged in, or the API token is unknown, revoked or over.")
    yield Row("method_not_allowed", 405, "The address has no such method.")
    yield Row("not_acceptable", 406, "The answer has no such form.")
    yield Row("unsupported_media_type", 415, "The body has another form than JSON, or a file's.")
    yield Row("throttled", 429, "More in a minute than one person or address may ask (docs/operations.md, Allowances).")


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
