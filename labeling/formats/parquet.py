"""Rows as a Parquet file: columns with types that no row can change, and lists that are empty where there is none.

Imported where a file is written and nowhere else: pyarrow takes fifty megabytes.
"""

from collections.abc import Iterable, Iterator, Mapping
from typing import Any, BinaryIO

import orjson
import pyarrow as pa
from pyarrow import parquet as pq

from labeling.errors import LabelNotCarried
from labeling.formats.exports.containers import FURTHER_KEYS, NUMBER, TEXT, WHOLE, YES_NO, Column, Columns

Json = dict[str, Any]
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
    for number, line in enumerate(lines, start=1):
        rows.append(fitted_row(orjson.loads(line), columns, number))
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


def fitted_row(row: Json, columns: Columns, number: int) -> Json:
    """The row with every column. Keys that no column has go into `further_keys`, where the format has that; null ones
    are left out there. Raises LabelNotCarried.
    """
    if FURTHER_KEYS in columns:
        further = {name: value for name, value in row.items() if name not in columns and value is not None}
        text = orjson.dumps(further).decode() if further else None
        row = {name: value for name, value in row.items() if name in columns} | {FURTHER_KEYS: text}
    return fitted(row, columns, f"Row {number}")


def fitted(value: Any, column: Column, place: str) -> Any:
    """The value as its column holds it: a list that is not there is empty. Raises LabelNotCarried."""
    if isinstance(column, str):
        if value is None or type(value) in SCALARS[column][1]:
            return value
        raise _misfit(place, column)
    if isinstance(column, list):
        if value is not None and type(value) is not list:
            raise _misfit(place, "list")
        return [fitted(one, column[0], place) for one in value or ()]
    if value is None:
        return None
    if type(value) is not dict or not value.keys() <= column.keys():
        raise _misfit(place, f"object of {', '.join(column)} alone")
    return {name: fitted(value.get(name), inside, f"{place}, {name}") for name, inside in column.items()}


def _misfit(place: str, wanted: str) -> LabelNotCarried:
    return LabelNotCarried(
        f"{place} is no {wanted}, and a column of a Parquet file holds nothing else. Export as JSON lines instead."
    )
