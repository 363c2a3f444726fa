"""Take the labels of a Stepmark export (`inspect_scores`, JSON lines) back to Inspect.

python stepmark_inspect.py edit EXPORT.jsonl LOG.eval ...          scores into logs; needs inspect_ai
python stepmark_inspect.py scout EXPORT.jsonl [has_error | outcome | safety | messages] > validation.csv

`edit` adds an edit with author, time and reason to the score `stepmark` of each sample, using
`inspect_ai.log.edit_score`. An edit that the log already contains, identified by its id, is not added again. `scout`
writes a validation set for `inspect_scout`: a case for each sample or, with `messages`, for each rated message. It
leaves out cases on which labels differ.
"""

import csv
import gzip
import importlib
import inspect
import json
import sys
from collections.abc import Iterable
from pathlib import Path
from typing import Any

Json = dict[str, Any]


def rows_of(path: str) -> list[Json]:
    """Return the rows of an export."""
    data = Path(path).read_bytes()
    text = (gzip.decompress(data) if path.endswith(".gz") else data).decode()
    return [json.loads(line) for line in text.split("\n") if line.strip()]


def edit_log(log: Any, rows: Iterable[Json]) -> int:
    """Add the edits that a log does not contain yet. Returns how many were added."""
    logs, scorer = importlib.import_module("inspect_ai.log"), importlib.import_module("inspect_ai.scorer")
    count = 0
    for row in rows:
        sample, said = sample_of(log, row), row["provenance"]
        if sample is None:
            continue
        sample.scores = sample.scores or {}
        score = sample.scores.get(row["score"])
        if score is not None and said["id"] in edits_of(score):
            continue
        about = {"stepmark_id": said["id"], "guideline_version": said["guideline_version"]}
        who = {name: said[name] for name in ("author", "timestamp", "reason")}
        content = {"value": row["value"], "explanation": row["explanation"], "metadata": {"steps": row["steps"]}}
        edit = scorer.ScoreEdit(**content, provenance=logs.ProvenanceData(**who, metadata=about))
        if score is None:
            sample.scores[row["score"]] = scorer.Score(**content, history=[edit])
        else:
            make(edit, log, sample, row["score"], logs.edit_score)
        count += 1
    return count


def make(edit: Any, log: Any, sample: Any, name: str, edit_score: Any) -> None:
    """Add the edit to a score. An older edit_score finds a sample by its id alone, which several epochs share."""
    if sum(one.id == sample.id for one in log.samples) == 1:
        edit_score(log, sample.id, name, edit, False)
    elif "epoch" in inspect.signature(edit_score).parameters:
        edit_score(log, sample.id, name, edit, False, epoch=sample.epoch)
    else:
        sample.scores[name].history.append(edit)


def sample_of(log: Any, row: Json) -> Any:
    """Return the sample of a row, if this is its log."""
    if row["eval_id"] and log.eval.eval_id and row["eval_id"] != log.eval.eval_id:
        return None
    fits = (one for one in log.samples or [] if str(one.id) == row["sample_id"] and one.epoch == row["epoch"])
    return next(fits, None)


def edits_of(score: Any) -> set[Any]:
    """Return the ids of the edits that a score contains."""
    return {(edit.provenance.metadata or {}).get("stepmark_id") for edit in score.history if edit.provenance}


def cases_of(rows: Iterable[Json], about: str) -> list[list[Any]]:
    """Return the cases of a validation set: [id, target, split, task_id, task_repeat], one for each id whose labels
    agree.
    """
    found: dict[Any, tuple[dict[str, Any], list[Any]]] = {}
    for row in rows:
        for ident, target in targets_of(row, about):
            if ident is not None and target is not None:
                place = [row["split"], row["sample_id"], row["epoch"]]
                found.setdefault(ident, ({}, place))[0][json.dumps(target)] = target
    return [
        [ident, written(*targets.values()), *place] for ident, (targets, place) in found.items() if len(targets) == 1
    ]


def targets_of(row: Json, about: str) -> list[tuple[Any, Any]]:
    """Return what a scanner should find, according to a row's labels."""
    if about == "messages":
        return [(step["message_id"], step["rating"] == -1) for step in row["steps"]]
    value = row["value"]
    if about == "has_error":
        first = value["first_error"]
        return [(row["sample_uuid"], None if first is None else first >= 0)]
    return [(row["sample_uuid"], value[about])]


def written(target: Any) -> Any:
    """Return a target in the form that Scout's CSV reader takes."""
    return str(target).lower() if isinstance(target, bool) else target


def main(what: str, export: str, *rest: str) -> None:
    """Run `edit` or `scout`."""
    rows = rows_of(export)
    if what == "edit":
        logs = importlib.import_module("inspect_ai.log")
        for path in rest:
            log = logs.read_eval_log(path)
            count = edit_log(log, rows)
            if count:
                logs.write_eval_log(log, path)
            print(f"{path}: {count} edits")
    else:
        table = csv.writer(sys.stdout)
        table.writerow(["id", "target", "split", "task_id", "task_repeat"])
        table.writerows(cases_of(rows, *(rest or ("has_error",))))


if __name__ == "__main__":
    if len(sys.argv) < 3 or sys.argv[1] not in ("edit", "scout") or sys.argv[3:4] in (["-h"], ["--help"]):
        raise SystemExit(__doc__)
    main(*sys.argv[1:])
