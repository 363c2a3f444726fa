"""Rows as a Parquet file: columns with types that no row can change, and lists that are empty where there is none.

Imported where a file is written and nowhere else: pyarrow takes fifty megabytes.
"""

from collections.abc import Callable, Iterable, Iterator, Mapping
from types import NoneType
from typing import Any, BinaryIO

import orjson
import pyarrow as pa
from pyarrow import parquet as pq

from labeling.errors import LabelNotCarried
from labeling.formats.exports.containers import FURTHER_KEYS, NUMBER, TEXT, WHOLE, YES_NO, Column, Columns

Json = dict[str, Any]
Fit = Callable[[Any], Any]
GROUP_BYTES = 32 * 2**20  # in memory, before packing: readers hold a group whole
BATCH_BYTES = 2 * 2**20  # of JSON
SCALARS: dict[str, tuple[pa.DataType, tuple[type, ...]]] = {
    TEXT: (pa.string(), (str,)),
    WHOLE: (pa.int64(), (int,)),
    NUMBER: (pa.float64(), (float, int)),
    YES_NO: (pa.bool_(), (bool,)),
}


def write_parquet(lines: Iterable[bytes], columns: Columns, about: Mapping[str, str], file: BinaryIO) -> None:
    """The rows of JSON lines, in their order, as a file with these columns; `about` goes into its metadata.

    Holds one group of rows. Raises LabelNotCarried where a row says what no column can hold.
    """
    schema = schema_of(columns).with_metadata(dict(about))
    with pq.ParquetWriter(file, schema, compression="zstd") as writer:
        for group in _groups(_batches(lines, columns, schema)):
            writer.write_table(pa.Table.from_batches(group, schema), row_group_size=sum(map(len, group)))


def schema_of(columns: Columns) -> pa.Schema:
    """The columns as Arrow types."""
    return pa.schema([(name, _type(column)) for name, column in columns.items()])


def _type(column: Column) -> pa.DataType:
    if isinstance(column, str):
        return SCALARS[column][0]
    if isinstance(column, list):
        return pa.list_(_type(column[0]))
    return pa.struct([(name, _type(inside)) for name, inside in column.items()])


def _batches(lines: Iterable[bytes], columns: Columns, schema: pa.Schema) -> Iterator[pa.RecordBatch]:
    """A few megabytes of rows at a time: as objects of Python they take many times the memory."""
    rows, size = [], 0
    fit = fit_of(columns)
    for number, line in enumerate(lines, start=1):
        rows.append(_fit_row(orjson.loads(line), columns, fit, number))
        size += len(line)
        if size >= BATCH_BYTES:
            yield pa.RecordBatch.from_pylist(rows, schema)
            rows, size = [], 0
    if rows:
        yield pa.RecordBatch.from_pylist(rows, schema)


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
    """The row with every column. Keys that no column has go into `further_keys`, where the format has that; null ones
    are left out there. Raises LabelNotCarried.
    """
    if FURTHER_KEYS in columns:
        further = {name: row.pop(name) for name in row.keys() - columns.keys()}
        told = {name: value for name, value in sorted(further.items()) if value is not None}
        row[FURTHER_KEYS] = orjson.dumps(told).decode() if told else None
    try:
        fitted: Json = fit(row)
    except Misfit:
        raise _misfit(row, columns, f"Row {number}") from None
    return fitted


class Misfit(Exception):
    """A value is none of its column; which one is looked for only then."""


def fit_of(column: Column) -> Fit:
    """What makes a value one of its column, changing it in place: a list that is not there is empty. Raises Misfit.

    A million step labels are several million values: names of places are left to `_misfit`.
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
        if kinds.issuperset(map(type, value)):  # of an empty one too
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
    """The refusal that names the place: the innermost that does not fit."""
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
    return LabelNotCarried(
        f"{place} is no {_words(column)}, and a column of a Parquet file holds nothing else."
        " Export as JSON lines instead."
    )


def _words(column: Column) -> str:
    if isinstance(column, dict):
        return f"object of {', '.join(column)} alone"
    return "list" if isinstance(column, list) else column
