"""Reading a file into rows of runs: one run that several lines, spans or archive members describe is one row.

A file of any other kind passes through unread. Rows from the same line get consecutive numbers, so that each has its
own.
"""

import io
import re
import zipfile
from collections.abc import Callable, Iterator
from itertools import chain
from typing import Any, BinaryIO, NamedTuple, cast

import orjson
import yaml

from labeling.formats.containers import BROKEN, ZIP, opened_member, opened_zip
from labeling.formats.faults import Fault, shown
from labeling.formats.imports.agents.inspect_logs import sample_row, samples_of
from labeling.formats.imports.agents.observed import langsmith_runs
from labeling.formats.imports.agents.pictures import Beside, is_picture_file
from labeling.formats.imports.agents.turns import objects_in
from labeling.formats.reading import (
    DEPTH_LIMIT,
    LINE_LIMIT,
    Limits,
    Line,
    most_unpacked,
    read_line,
    read_rows,
    too_much_text,
)

Json = dict[str, Any]
HEAD = 65_536
LIMITS = Limits(line=64 * 2**20)  # per row: a run of 2,000 steps that read long files takes 50 MB
YAML = re.compile(rb"\A\s*(?:#[^\n]*\n\s*)*(messages|interactions|events):\s*\n\s*-\s")
MEMBER_LIMIT = 64 * 2**20  # bytes of a sample after unpacking
TOGETHER_LIMIT = 256 * 2**20  # bytes of rows held until the file ends, because several make up one run
TOGETHER_VALUES = 4_000_000  # in those rows: 100 to 200 bytes each in memory, a few in the file, 40 or more in spans
LARGEST_YAML = 20 * 2**20
YAML_VALUES = 1_000_000  # 400 to 800 bytes each while they are read; recorded runs have 16 bytes per value
LOADER = getattr(yaml, "CSafeLoader", yaml.SafeLoader)
PLAIN_TAGS = (None, "!", *(f"tag:yaml.org,2002:{name}" for name in ("str", "map", "seq")))
LONGEST_NUMBER = 100  # characters; a text of that many digits is in quotes
NUMBER = re.compile(r"[-+]?(0x[0-9a-fA-F_]+|[-+0-9_:.eE]+)")
SEVERAL = frozenset(("samples", "resourceSpans", "post", "patch", "schema_version"))  # keys of rows of several runs


class Gathered(NamedTuple):
    """How rows are gathered into runs: what the first row looks like, the run's key, and how several rows become
    one."""

    fits: Callable[[Json], bool]
    key: Callable[[Json], Any]
    joined: Callable[[Any, list[Json]], Json]


class Held:
    """How much of a file is held in memory until it ends, in bytes of the file and in values."""

    def __init__(self) -> None:
        self.size, self.values = 0, 0

    def fault(self, number: int, size: int, *rows: Json) -> Line | None:
        """Count the rows of one more line. Return the fault if the total is too much, else None."""
        self.size += size
        self.values += sum(_values(row) for row in rows)
        for most, held, unit in ((TOGETHER_LIMIT, self.size, "bytes"), (TOGETHER_VALUES, self.values, "values")):
            if held > most:
                do = f"A file whose runs span several lines may have at most {most:,} {unit}. Split it by run."
                return Line(number, None, Fault("file_too_large", number, "", f"{held:,} {unit}", do))
        return None


def run_rows(raw: BinaryIO, pulse: Callable[[], None] = lambda: None) -> Iterator[Line]:
    """Return the rows of a file, with each run as one row. Gives the same faults as `read_rows`."""
    head = raw.read(HEAD)
    raw.seek(0)
    if head.startswith(ZIP) and (members := _samples(raw)) is not None:
        return _numbered(_archive(raw, members))
    raw.seek(0)
    if head.startswith(ZIP) and (rows := _rows_with_pictures(raw)) is not None:
        return _numbered(_beside(raw, rows, pulse))
    raw.seek(0)
    if YAML.match(head):
        return _numbered(_yaml(raw))
    if head.lstrip().startswith(b'["client.'):
        return _numbered(_calls(raw))
    return _numbered(_gathered(read_rows(raw, LIMITS, pulse)))


def _numbered(lines: Iterator[Line]) -> Iterator[Line]:
    last = 0
    for line in lines:
        last = max(line.number, last + 1)
        yield line if line.number == last else line._replace(number=last)


def _samples(raw: BinaryIO) -> list[zipfile.ZipInfo] | None:
    try:
        members = opened_zip(raw).infolist()
    except BROKEN:
        return None
    names = {member.filename for member in members}
    if not {"header.json", "_journal/start.json"} & names:
        return None
    return [member for member in members if re.fullmatch(r"samples/[^/]+\.json", member.filename)]


def _archive(raw: BinaryIO, members: list[zipfile.ZipInfo]) -> Iterator[Line]:
    archive = opened_zip(raw)
    total, most = 0, min(LIMITS.text, most_unpacked(raw))
    try:
        about = _header(archive)
        for number, member in enumerate(members, start=1):
            if member.file_size > MEMBER_LIMIT:
                do = f"A sample may have at most {MEMBER_LIMIT:,} bytes. Write the log without it."
                yield Line(
                    number, None, Fault("file_too_large", number, member.filename, f"{member.file_size:,} bytes", do)
                )
                continue
            data = _read(archive, member)
            total += len(data)
            if total > most:
                yield Line(number, None, too_much_text(number, most))
                return
            line = read_line(without_nul(data), number)
            yield line if line.row is None else line._replace(row=sample_row(line.row, about))
    except (*BROKEN, RuntimeError, orjson.JSONDecodeError) as error:  # RuntimeError: it is encrypted
        yield Line(1, None, Fault("bad_packing", 1, "", shown(str(error)), "The archive is cut off or damaged."))
    if not members:
        do = "The log has no samples: the evaluation did not finish."
        yield Line(1, None, Fault("no_run", 1, "samples/", "no sample", do))


def _rows_with_pictures(raw: BinaryIO) -> str | None:
    """Return the member with the rows, if all other members of the archive are pictures that the rows name."""
    try:
        members = [one for one in opened_zip(raw).infolist() if not one.is_dir()]
    except BROKEN:
        return None
    rows = [one.filename for one in members if not is_picture_file(one)]
    return rows[0] if len(rows) == 1 and len(members) > 1 else None


def _beside(raw: BinaryIO, rows: str, pulse: Callable[[], None]) -> Iterator[Line]:
    archive = opened_zip(raw)
    pictures = Beside(archive, rows)
    try:
        with opened_member(archive, archive.getinfo(rows)) as member:
            limits = LIMITS._replace(text=min(LIMITS.text, most_unpacked(raw)))
            for line in _gathered(read_rows(cast(BinaryIO, io.BufferedReader(member)), limits, pulse)):
                if line.row is None:
                    yield line
                    continue
                row, added = pictures.put_into(line.row)
                yield line._replace(row=row, size=line.size + added)
    except (*BROKEN, RuntimeError) as error:
        yield Line(1, None, Fault("bad_packing", 1, "", shown(str(error)), "The archive is cut off or damaged."))


def _header(archive: zipfile.ZipFile) -> Json:
    """Return what a log says about all of its samples. Raises zipfile.BadZipFile."""
    names = archive.namelist()
    member = archive.getinfo("header.json" if "header.json" in names else "_journal/start.json")
    if member.file_size > MEMBER_LIMIT:
        raise zipfile.BadZipFile(f"{member.filename} has {member.file_size:,} bytes")
    header = orjson.loads(_read(archive, member))
    about = header.get("eval") if isinstance(header, dict) else None
    return about if isinstance(about, dict) else {}


def _read(archive: zipfile.ZipFile, member: zipfile.ZipInfo) -> bytes:
    """Read a member, unpacking no more than the limit, whatever size it claims to have."""
    with opened_member(archive, member) as file:
        data: bytes = file.read(MEMBER_LIMIT)
    return data


def without_nul(data: bytes) -> bytes:
    """Return the JSON with each NUL character, which no column can store, replaced by its symbol."""
    if b"\\u0000" not in data:
        return data
    return re.sub(rb"(?<!\\)((?:\\\\)*)\\u0000", rb"\1\\u2400", data)


def _yaml(raw: BinaryIO) -> Iterator[Line]:
    data = raw.read(LARGEST_YAML + 1)
    try:
        if len(data) > LARGEST_YAML:
            raise yaml.YAMLError(f"more than {LARGEST_YAML:,} bytes")
        _refuse_bombs(data)
        found = yaml.load(data, Loader=LOADER)
        events = (found.get("messages") or found.get("events") or []) if isinstance(found, dict) else []
        row = {"claude_events": events} if isinstance(events, list) else {}
        written = orjson.dumps(row, default=str, option=orjson.OPT_NON_STR_KEYS)
    except (yaml.YAMLError, RecursionError, TypeError, ValueError) as error:
        yield Line(1, None, Fault("bad_yaml", 1, "", shown(str(error)), "Write the run as JSON."))
        return
    yield read_line(written, 1)


def _refuse_bombs(data: bytes) -> None:
    """Refuse YAML that would exhaust the process. A few aliases of aliases become gigabytes when written out. The
    loader descends into nested lists without a limit, which crashes the process. A number with many digits or parts
    (`1:1:1`) takes it hours, and a value of one byte takes about a hundred in memory.

    Raises YAMLError. Memory holds one event at a time.
    """
    depth = 0
    for number, event in enumerate(yaml.parse(data, Loader=LOADER)):
        if number > YAML_VALUES:
            raise yaml.YAMLError(f"more than {YAML_VALUES:,} values")
        depth += isinstance(event, yaml.CollectionStartEvent) - isinstance(event, yaml.CollectionEndEvent)
        if depth > DEPTH_LIMIT:
            raise yaml.YAMLError(f"more than {DEPTH_LIMIT} levels")
        if isinstance(event, yaml.AliasEvent):
            raise yaml.YAMLError("an alias (*name)")
        if (tag := getattr(event, "tag", None)) not in PLAIN_TAGS:
            raise yaml.YAMLError(f"a tag ({tag})")
        plain = event.value if isinstance(event, yaml.ScalarEvent) and event.implicit[0] else ""
        if len(plain) > LONGEST_NUMBER and NUMBER.fullmatch(plain):
            raise yaml.YAMLError(f"a number of {len(plain):,} characters")


def _calls(raw: BinaryIO) -> Iterator[Line]:
    """Read lines of [method, payload]: the events of a managed agent, each kept once."""
    events: dict[str, Json] = {}
    held, number = Held(), 0
    while data := raw.readline(LINE_LIMIT + 1):
        number += 1
        if too_much := held.fault(number, len(data)):
            yield too_much
            return
        if not data.strip():
            continue
        try:
            _, payload = orjson.loads(data)
        except (TypeError, ValueError):
            found = shown(data[:80].decode(errors="replace"))
            yield Line(1, None, Fault("bad_json", 1, "", found, "Write one list per line."))
            return
        for event in payload if isinstance(payload, list) else [payload]:
            if isinstance(event, dict) and isinstance(event.get("id"), str) and event["id"] not in events:
                events[event["id"]] = event
                if too_much := held.fault(number, 0, event):
                    yield too_much
                    return
    written = orjson.dumps({"managed_events": list(events.values())})
    events.clear()  # else memory would hold them twice
    yield read_line(written, 1)


def _gathered(lines: Iterator[Line]) -> Iterator[Line]:
    first = next(lines, None)
    if first is None:
        return
    row = first.row or {}
    rule = next((rule for rule in GATHERED if rule.fits(row)), None)
    if rule is None:
        for line in chain([first], lines):
            if line.row is None or SEVERAL.isdisjoint(line.row):  # as are nearly all
                yield line
            else:
                yield from _parts(line, line.row)
        return
    groups: dict[Any, list[Json]] = {}
    places: dict[Any, int] = {}
    held = Held()
    for line in chain([first], lines):
        if line.row is None:
            yield line
            continue
        if too_much := held.fault(line.number, line.size, line.row):
            yield too_much
            return
        key = rule.key(line.row)
        groups.setdefault(key, []).append(line.row)
        places.setdefault(key, line.number)
    for key, rows in groups.items():
        yield Line(places[key], rule.joined(key, rows), None, sum(len(orjson.dumps(one)) for one in rows))


def _values(row: Json) -> int:
    """Return how many texts, numbers, lists and objects a row contains."""
    level: list[Any] = [row]
    found = 0
    while level:
        inner = [child for item in level for child in (item.values() if type(item) is dict else item)]
        found += len(inner)
        level = [child for child in inner if type(child) is dict or type(child) is list]
    return found


def _parts(line: Line, row: Json) -> Iterator[Line]:
    """Split a row that may hold several runs."""
    if isinstance(row.get("samples"), list) and isinstance(row.get("eval"), dict):
        yield from (line._replace(row=sample) for sample in samples_of(row))
    elif isinstance(row.get("resourceSpans"), list):
        yield from (line._replace(row=one) for one in _by_trace(_otlp(row)))
    elif isinstance(row.get("post"), list) or isinstance(row.get("patch"), list):
        yield line._replace(row={"langsmith_runs": langsmith_runs(row)})
    else:
        yield line
        if str(row.get("schema_version", "")).upper().startswith("ATIF"):
            yield from (line._replace(row=one) for one in _sub_agents(row, row["schema_version"]))


def _sub_agents(row: Json, version: Any) -> Iterator[Json]:
    """Yield the trajectories inside this one and those inside them, each with the id of its parent."""
    about = {"schema_version": version, "stepmark_parent": row.get("trajectory_id")}
    for inner in objects_in(row.get("subagent_trajectories")):
        yield {**about, **inner}
        yield from _sub_agents(inner, version)


def _otlp(row: Json) -> list[Json]:
    scopes = [scope for one in objects_in(row["resourceSpans"]) for scope in objects_in(one.get("scopeSpans"))]
    return [span for scope in scopes for span in objects_in(scope.get("spans"))]


def _by_trace(spans: list[Json]) -> list[Json]:
    groups: dict[Any, list[Json]] = {}
    for span in spans:
        groups.setdefault(_trace_id(span), []).append(span)
    return [{"otel_spans": rows, "trace_id": key} for key, rows in groups.items()]


def _trace_id(span: Json) -> str | None:
    context = span.get("spanContext") or span.get("context")
    places = (span, context if isinstance(context, dict) else {})
    return _text(*(place.get(name) for place in places for name in ("traceId", "trace_id")))


def _text(*values: Any) -> str | None:
    """Return the first non-empty text. A list or an object cannot name a run."""
    return next((value for value in values if isinstance(value, str) and value), None)


def _is_span(row: Json) -> bool:
    return "attributes" in row and _trace_id(row) is not None and "run_type" not in row


def _is_event(row: Json) -> bool:
    return "uuid" in row and "sessionId" in row and "parentUuid" in row


GATHERED = (
    Gathered(
        _is_event,
        lambda row: (_text(row.get("sessionId")), bool(row.get("isSidechain"))),
        lambda key, rows: {"claude_events": rows},
    ),
    Gathered(_is_span, _trace_id, lambda key, rows: {"otel_spans": rows, "trace_id": key}),
    Gathered(
        lambda row: "run_type" in row and ("dotted_order" in row or "trace_id" in row),
        lambda row: _text(row.get("trace_id"), row.get("id")),
        lambda key, rows: {"langsmith_runs": rows},
    ),
    Gathered(
        lambda row: "traceId" in row and "startTime" in row and "type" in row,
        lambda row: _text(row.get("traceId")),
        lambda key, rows: {"observations": rows},
    ),
)
