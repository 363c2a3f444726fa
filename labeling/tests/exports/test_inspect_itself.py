"""Inspect and Scout read the labels returned to them: inspect_ai's own edit_score and reader, Scout's own CSV reader.

Both are heavy and not part of the product. `make inspect` installs them into a separate environment, or
STEPMARK_INSPECT_PYTHON names a Python that has them; without either, these tests are skipped.
"""

import json
import os
import shutil
import subprocess
from pathlib import Path
from typing import Any

import pytest

from labeling.actions.export_companions import companion_of
from labeling.models import Export
from labeling.tests.exports.labeled import exported
from labeling.tests.exports.test_labels_go_home import label_all, make_project_of_runs
from labeling.tests.imports.files import SHARED_DATA, import_file, lines

OWN = Path(__file__).parents[3] / "var" / "inspect" / "bin" / "python"
PYTHON = os.environ.get("STEPMARK_INSPECT_PYTHON", str(OWN) if OWN.is_file() else "")
LOG = SHARED_DATA / "agents/inspect/log_message_deduplication.eval"
pytestmark = [
    pytest.mark.django_db(transaction=True),
    pytest.mark.skipif(not PYTHON, reason="No Python with inspect_ai (make inspect, or STEPMARK_INSPECT_PYTHON)."),
    pytest.mark.skipif(not LOG.is_file(), reason="The recorded runs are not here (STEPMARK_SHARED_DATA)."),
]
READ_SCORES = """
import json, sys
from inspect_ai.log import read_eval_log
log = read_eval_log(sys.argv[1])
told = []
for sample in log.samples:
    score = (sample.scores or {}).get("stepmark")
    if score:
        edit = score.history[-1]
        told.append([str(sample.id), sample.epoch, score.value, len(score.history), edit.provenance.author])
print(json.dumps(told))
"""
READ_CASES = """
import json, sys
from inspect_scout import validation_set
cases = validation_set(cases=sys.argv[1]).cases
print(json.dumps([[str(case.id), case.target] for case in cases]))
"""


def asked(*arguments: Any) -> Any:
    """Return the other Python's answer as JSON."""
    done = subprocess.run([PYTHON, *map(str, arguments)], capture_output=True, text=True, check=False, timeout=300)
    assert done.returncode == 0, done.stderr[-3_000:]
    return json.loads(done.stdout.strip().splitlines()[-1])


def test_inspect_reads_the_edits_that_its_own_function_made_and_scout_the_cases(tmp_path: Path) -> None:
    project = make_project_of_runs()
    import_file(project, LOG, skip_faulty=True)
    label_all(project)
    rows, _ = exported(project, "inspect_scores")
    script, data, log = tmp_path / "stepmark_inspect.py", tmp_path / "labels.jsonl", tmp_path / LOG.name
    script.write_bytes(companion_of(Export.objects.latest("pk"), script.name))
    data.write_bytes(lines(*rows))
    shutil.copy(LOG, log)
    log.chmod(0o600)
    for _ in range(2):
        subprocess.run([PYTHON, script, "edit", data, log], check=True, capture_output=True, timeout=300)
    told = asked("-c", READ_SCORES, log)
    expected = [[row["sample_id"], row["epoch"], row["value"], 1, row["provenance"]["author"]] for row in rows]
    assert sorted(told) == sorted(expected)
    cases = tmp_path / "cases.csv"
    cases.write_bytes(subprocess.check_output([PYTHON, script, "scout", data, "has_error"], timeout=300))
    found = asked("-c", READ_CASES, cases)
    assert sorted(found) == sorted([row["sample_uuid"], row["value"]["first_error"] >= 0] for row in rows)
