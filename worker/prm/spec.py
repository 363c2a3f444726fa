"""The registry record of one PRM: its family, its location, and how to read its numbers."""

import hashlib
import json
import math
from collections.abc import Callable, Mapping
from dataclasses import asdict, dataclass, field, fields
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

from worker.prm.errors import SpecError

DTYPES = ("float32", "bfloat16")
NEUTRAL = ("positive", "negative")
AGGREGATIONS = ("product", "min", "mean", "last")
# A server may round a probability down to exactly 0. Its logarithm is that of the smallest normal float32 instead.
LOG_OF_ZERO = math.log(2.0**-126)


@dataclass(frozen=True, kw_only=True)
class PrmSpec:
    """One process reward model. Only an operator writes it: `url` is an address this machine will connect to.

    `checksum` is the SHA-256 over the safetensors files (`checkpoint.checksum`), None until the operator pins it.

    `base` names the model it was trained from (a note; for the family `implicit`, the folder of the reference model).

    `neutral` says whether a neutral step counts as right; it matters only for models with three labels.

    `observed`: in an agent's run, each rated unit is read with what was seen before it, this many characters of each
    item (labeling/formats/run_texts.py); None: the units alone. The caller that passes the traces must apply it.

    `options` are the family's own (separator, beta, template, ...); each family names those it accepts.
    """

    family: str
    path: Path | None = None
    url: str | None = None
    checksum: str | None = None
    base: str | None = None
    dtype: str = "float32"
    neutral: str = "positive"
    aggregation: str = "product"
    max_tokens: int | None = None
    observed: int | None = None
    options: Mapping[str, Any] = field(default_factory=dict)

    def option(self, name: str, default: Any) -> Any:
        """Return one of the family's own settings."""
        return self.options.get(name, default)

    def fingerprint(self) -> str:
        """Return SHA-256 over everything that changes a score: equal fingerprints give equal numbers."""
        facts = {**asdict(self), "path": None if self.path is None else self.path.name}
        if self.observed is None:  # so that PRMs checked before the field existed keep their fingerprint
            del facts["observed"]
        return hashlib.sha256(json.dumps(facts, sort_keys=True).encode()).hexdigest()


def parse_spec(record: Mapping[str, Any], folder: Path | None = None) -> PrmSpec:
    """Return the spec of a record (registry or JSON file); relative paths start at `folder`. Raises SpecError."""
    known = {item.name for item in fields(PrmSpec)}
    if unknown := sorted(set(record) - known):
        raise SpecError(
            f"Unknown field {unknown[0]!r} in the record of a PRM. Known fields: {', '.join(sorted(known))}."
        )
    if not isinstance(record.get("family"), str):
        raise SpecError("The record of a PRM must name its family.")
    values = dict(record)
    if values.get("path") is not None:
        values["path"] = (folder or Path()) / values["path"]
    spec = PrmSpec(**values)
    check_choice("dtype", spec.dtype, DTYPES)
    check_choice("neutral", spec.neutral, NEUTRAL)
    check_choice("aggregation", spec.aggregation, AGGREGATIONS)
    check_place(spec)
    return spec


def check_choice(name: str, value: Any, allowed: tuple[str, ...]) -> None:
    """Raise SpecError unless the value is allowed."""
    if value not in allowed:
        raise SpecError(f"{name} is {value!r}; it must be {' or '.join(allowed)}.")


def check_place(spec: PrmSpec) -> None:
    """Raise SpecError unless a PRM has exactly one location, a folder or an http(s) address."""
    if (spec.path is None) == (spec.url is None):
        raise SpecError("A PRM has either a path (a folder on this machine) or a url (a server), not both.")
    if spec.url is not None and (urlsplit(spec.url).scheme not in ("http", "https") or not urlsplit(spec.url).hostname):
        raise SpecError(f"{spec.url!r} is not an http or https address.")
    if spec.max_tokens is not None and spec.max_tokens < 1:
        raise SpecError("max_tokens must be a positive number.")
    if spec.observed is not None and (type(spec.observed) is not int or spec.observed < 1):
        raise SpecError(
            "observed is the number of characters to read of each item that an agent saw; it must be 1 or more."
        )
    if not isinstance(spec.options, Mapping):
        raise SpecError("options must be an object.")


def mean_in_log_space(logs: list[float]) -> float:
    """Return log((p1 + ... + pn) / n) from the log p, without leaving log space."""
    top = max(logs)
    return top + math.log(math.fsum(math.exp(value - top) for value in logs) / len(logs))


AGGREGATORS: Mapping[str, Callable[[list[float]], float]] = {
    "product": math.fsum,
    "min": min,
    "mean": mean_in_log_space,
    "last": lambda logs: logs[-1],
}


def aggregate(log_probabilities: list[float], aggregation: str) -> float:
    """Return the log of a trace's score from the logs of P(step correct).

    Logs, because 500 steps of 0.2 and 500 of 0.3 are both 0 as products, and the second must still rank higher.
    """
    return AGGREGATORS[aggregation](log_probabilities)
