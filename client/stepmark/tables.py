"""Rows of an export as a list, or as an object of pandas, pyarrow or `datasets`."""

import importlib
import json
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any, Literal

from stepmark.errors import Damaged, StepmarkError

Kind = Literal["list", "pandas", "pyarrow", "datasets"]
# Their columns have the types that the file declares: none is guessed, or null for lack of a value.
CONTAINERS: Mapping[Kind, str] = {"pyarrow": "parquet", "datasets": "parquet"}


def container_of(kind: Kind) -> str:
    """Return the container that this kind is read from. Raises StepmarkError for an unknown kind."""
    if kind not in READERS:
        raise StepmarkError(f"There is no kind {kind!r} of labels. Choose one of {', '.join(READERS)}.")
    return CONTAINERS.get(kind, "json_lines")


def read_rows(file: Path, kind: Kind) -> Any:
    """Read a file in the container of this kind. Raises Damaged, and StepmarkError if the kind's package is missing."""
    try:
        return READERS[kind](file)
    except (ValueError, RecursionError) as fault:  # pyarrow's errors, too
        raise Damaged(f"The export's rows cannot be read: {fault}.") from fault


def _as_list(file: Path) -> list[dict[str, Any]]:
    with file.open(encoding="utf-8") as lines:
        return [json.loads(line) for line in lines]


def _as_pandas(file: Path) -> Any:
    return _package("pandas").DataFrame(_as_list(file))


def _as_pyarrow(file: Path) -> Any:
    return _package("pyarrow.parquet", "pyarrow").read_table(file)


def _as_datasets(file: Path) -> Any:
    table = _package("pyarrow.parquet", "pyarrow").read_table(file)
    return _package("datasets").Dataset(table)


def _package(name: str, extra: str = "") -> Any:
    extra = extra or name
    try:
        return importlib.import_module(name)
    except ImportError as missing:
        raise StepmarkError(f'{extra} is not installed. Run: pip install "stepmark[{extra}]"') from missing


READERS: Mapping[Kind, Callable[[Path], Any]] = {
    "list": _as_list,
    "pandas": _as_pandas,
    "pyarrow": _as_pyarrow,
    "datasets": _as_datasets,
}
