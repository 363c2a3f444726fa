"""Rows as a Parquet file: columns with types that no row can change, and empty lists in place of missing ones.

Imported only where a file is written: pyarrow takes fifty megabytes.
"""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from types import NoneType
from typing import Any, BinaryIO

import orjson
import pyarrow as pa
from pyarrow import json as pj
from pyarrow import parquet as pq

from labeling.errors import LabelNotCarried
from labeling.formats.exports.containers import FURTHER_KEYS, NUMBER, TEXT, WHOLE, YES_NO, Column, Columns

pa.set_memory_pool(pa.system_memory_pool())  # Arrow's own pool frees little memory between two groups

Json = dict[str, Any]
Fit = Callable[[Any], Any]
GROUP_BYTES = 8 * 2**20  # in memory, before packing; packing takes several times as much
BATCH_BYTES = 2 * 2**20  # of JSON
SCALARS: dict[str, tuple[pa.DataType, tuple[type, ...]]] = {
    TEXT: (pa.string(), (str,)),
    WHOLE: (pa.int64(), (int,)),
    NUMBER: (pa.float64(), (float, int)),
    YES_NO: (pa.bool_(), (bool,)),
}


def write_parquet(lines: Iterable[bytes], columns: Columns, about: Mapping[str, str], file: BinaryIO) -> None:
    """Write the rows of JSON lines, in order, to a file with these columns. `about` goes into its metadata.

    Holds one group of rows in memory. Raises LabelNotCarried if a row has a value that no column can hold.
    """
    schema = schema_of(columns).with_metadata(dict(about))
    with pq.ParquetWriter(file, schema, compression="zstd") as writer:
        for group in _groups(_batches(lines, columns, schema)):
            writer.write_table(pa.Table.from_batches(group, schema), row_group_size=sum(map(len, group)))


def schema_of(columns: Columns) -> pa.Schema:
    """Return the columns as Arrow types."""
    return pa.schema([(name, _type(column)) for name, column in columns.items()])


def _type(column: Column) -> pa.DataType:
    if isinstance(column, str):
        return SCALARS[column][0]
    if isinstance(column, list):
        return pa.list_(_type(column[0]))
    return pa.struct([(name, _type(inside)) for name, inside in column.items()])


def _batches(lines: Iterable[bytes], columns: Columns, schema: pa.Schema) -> Iterator[pa.RecordBatch]:
    """Yield the rows in batches of a few megabytes."""
    first, waiting, size = 1, list[bytes](), 0
    for number, line in enumerate(lines, start=1):
        waiting.append(line)
        size += len(line)
        if size >= BATCH_BYTES:
            yield from _typed(waiting, first, columns, schema)
            first, waiting, size = number + 1, [], 0
    if waiting:
        yield from _typed(waiting, first, columns, schema)


def _typed(lines: Sequence[bytes], first: int, columns: Columns, schema: pa.Schema) -> Iterator[pa.RecordBatch]:
    """Yield the rows as Arrow reads them. Arrow's refusal does not say where the problem is, so rows are then fitted
    one by one, as Python objects that take many times the memory. `first`: the number of the first row.
    """
    gathers = FURTHER_KEYS in columns
    try:
        read = read_lines([_gathered(line, columns) for line in lines] if gathers else lines, schema)
    except pa.ArrowInvalid:
        fit = fit_of(columns)
        rows = [_fit_row(orjson.loads(line), columns, fit, number) for number, line in enumerate(lines, start=first)]
        yield pa.RecordBatch.from_pylist(rows, schema)
    else:
        yield from without_null_lists(read).to_batches()


def read_lines(lines: Sequence[bytes], schema: pa.Schema) -> pa.Table:
    """Return JSON lines as a table with exactly these columns. Raises ArrowInvalid."""
    data = b"\n".join(lines)
    parsing = pj.ParseOptions(explicit_schema=schema, unexpected_field_behavior="error")
    return pj.read_json(pa.py_buffer(data), pj.ReadOptions(use_threads=False, block_size=len(data) + 1), parsing)


def without_null_lists(table: pa.Table) -> pa.Table:
    """Return the table with empty lists in place of null ones, at every depth."""
    arrays = [_without_null_lists(column.combine_chunks()) for column in table.columns]
    return pa.Table.from_arrays(arrays, schema=table.schema)


def _without_null_lists(array: pa.Array) -> pa.Array:
    if pa.types.is_list(array.type):  # a null list has the offsets of an empty one
        return pa.ListArray.from_arrays(array.offsets, _without_null_lists(array.values), type=array.type)
    if pa.types.is_struct(array.type):
        inside = [_without_null_lists(array.field(place)) for place in range(array.type.num_fields)]
        return pa.StructArray.from_arrays(inside, fields=list(array.type), mask=array.is_null())
    return array


def _groups(batches: Iterable[pa.RecordBatch]) -> Iterator[list[pa.RecordBatch]]:
    group: list[pa.RecordBatch] = []
    for batch in batches:
        group.append(batch)
        if sum(one.nbytes for one in group) >= GROUP_BYTES:
            yield group
            group = []
    if group:
        yield group


def _fit_row(row: Json, columns: Columns, fit: Fit, number: int) -> Json:
    """Return the row with every column. Raises LabelNotCarried."""
    if FURTHER_KEYS in columns:
        _gather(row, columns)
    try:
        fitted: Json = fit(row)
    except Misfit:
        raise _misfit(row, columns, f"Row {number}") from None
    return fitted


def _gathered(line: bytes, columns: Columns) -> bytes:
    """Return the line with its further keys in one column."""
    row = orjson.loads(line)
    _gather(row, columns)
    return orjson.dumps(row)


def _gather(row: Json, columns: Columns) -> None:
    """Put the keys that have no column into `further_keys`. Null values are left out."""
    further = {name: row.pop(name) for name in row.keys() - columns.keys()}
    told = {name: value for name, value in sorted(further.items()) if value is not None}
    row[FURTHER_KEYS] = orjson.dumps(told).decode() if told else None


class Misfit(Exception):
    """A value does not fit its column. The place is only looked for afterwards."""


def fit_of(column: Column) -> Fit:
    """Return a function that fits a value to its column in place; a missing list becomes empty. Raises Misfit.

    A million step labels are several million values, so naming places is left to `_misfit`.
    """
    if isinstance(column, str):
        return _fit_scalar(column)
    return _fit_list(column[0]) if isinstance(column, list) else _fit_object(column)


def _fit_scalar(column: str) -> Fit:
    kinds = {NoneType, *SCALARS[column][1]}

    def fit(value: Any) -> Any:
        if type(value) not in kinds:
            raise Misfit
        return value

    return fit


def _fit_list(column: Column) -> Fit:
    kinds = {NoneType, *SCALARS[column][1]} if isinstance(column, str) else set()
    inside = fit_of(column)

    def fit(value: Any) -> Any:
        if value is None:
            return []
        if type(value) is not list:
            raise Misfit
        if kinds.issuperset(map(type, value)):  # also true of an empty list
            return value
        return [inside(one) for one in value]

    return fit


def _fit_object(columns: Columns) -> Fit:
    names = columns.keys()
    scalars = [(name, {NoneType, *SCALARS[one][1]}) for name, one in columns.items() if isinstance(one, str)]
    others = [(name, fit_of(one)) for name, one in columns.items() if not isinstance(one, str)]

    def fit(value: Any) -> Any:
        if value is None:
            return None
        if type(value) is not dict or not value.keys() <= names:
            raise Misfit
        get = value.get
        for name, kinds in scalars:
            if type(get(name)) not in kinds:
                raise Misfit
        for name, inside in others:
            value[name] = inside(get(name))
        return value

    return fit


def _misfit(value: Any, column: Column, place: str) -> LabelNotCarried:
    """Return the error that names the innermost place that does not fit."""
    inner: list[tuple[Any, Column, str]] = []
    if isinstance(column, list) and type(value) is list:
        inner = [(one, column[0], place) for one in value]
    elif isinstance(column, dict) and type(value) is dict:
        inner = [(value.get(name), one, f"{place}, {name}") for name, one in column.items()]
    for one, kind, where in inner:
        try:
            fit_of(kind)(one)
        except Misfit:
            return _misfit(one, kind, where)
    words = f"{place} does not fit its Parquet column, which has the type {_words(column)}."
    return LabelNotCarried(f"{words} Export as JSON lines instead.")


def _words(column: Column) -> str:
    if isinstance(column, dict):
        return f"object with only the keys {', '.join(column)}"
    return "list" if isinstance(column, list) else column
