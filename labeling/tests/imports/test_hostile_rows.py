"""Any value under any key: a format returns records, or faults that name the line and a way out; it never breaks."""

from typing import Any

from hypothesis import given, settings
from hypothesis import strategies as st

from labeling.formats.detection import format_of, not_ours
from labeling.formats.imports import IMPORT_FORMATS
from labeling.formats.imports.column_guess import columns_of, guessed
from labeling.formats.imports.columns import MARKS_ARE, SPLITS, mapped_format, mapping_faults
from labeling.formats.imports.marks import as_marks, as_recorded
from labeling.tests.imports.test_published_formats import QUESTION, SAME, STEPS

LINE = 7
PLAIN = {"problem": QUESTION, "steps": STEPS, "label": 1}
SOLVED = {"question": QUESTION, "ground_truth": "#### 5", "a model": {"solution": "5", "is_correct": True}}
GOOD = {name: row for name, (row, _) in SAME.items()}
GOOD |= {"neutral": PLAIN, "gsm8k_solutions": SOLVED, "whole_responses": {"problem": QUESTION, "response": "5"}}
TEXTS = st.sampled_from(
    ["", " ", "a", "+", "-", "1", "-1", "Step 1: a ки", "ки", "N/A", "é\u2028", "x" * 300]
) | st.text(max_size=5)
LEAVES = st.none() | st.booleans() | st.integers(-3, 3) | st.floats(allow_nan=False) | TEXTS | st.just(10**30 * 1.0)
KEYS = st.sampled_from(["steps", "labels", "role", "content", "solution", "is_correct", "text", "problem", ""])
VALUES = st.recursive(
    LEAVES, lambda inner: st.lists(inner, max_size=4) | st.dictionaries(KEYS, inner, max_size=4), max_leaves=8
)
FURTHER = st.sampled_from(
    ["problem", "steps", "label", "source", "level", "rating", "soft_labels", "answer", "id", "z"]
)


@settings(max_examples=150)
@given(st.data(), st.sampled_from(sorted(GOOD)))
def test_a_format_bears_any_value_under_any_key(data: st.DataObject, name: str) -> None:
    row: dict[str, Any] = dict(GOOD[name])
    key = data.draw(st.sampled_from(sorted(row)) | FURTHER)
    row[key] = data.draw(VALUES)
    format_of(row), not_ours(row, LINE, None), guessed([row]), columns_of([row])
    told, faults = IMPORT_FORMATS[name].parse(row, LINE, asked=True)
    assert not (told and faults)
    assert all(fault.line == LINE and fault.do and len(fault.found) <= 200 for fault in faults)
    for one in told:
        as_recorded(one), as_marks(one)
        assert one.marks is None or one.trace is None or len(one.marks.values) == len(one.trace.steps)


@settings(max_examples=100)
@given(row=st.dictionaries(KEYS, VALUES, min_size=1), data=st.data())
def test_a_mapping_bears_any_row(row: dict[str, Any], data: st.DataObject) -> None:
    columns = st.sampled_from([column.name for column in columns_of([row])] + ["missing"])
    mapping = {"problem": data.draw(columns), "steps": data.draw(columns), "split": data.draw(st.sampled_from(SPLITS))}
    mapping |= {"marks": data.draw(columns), "marks_are": data.draw(st.sampled_from(MARKS_ARE)), "pattern": "a"}
    mapping |= {"outcome": data.draw(columns), "final_answer": data.draw(columns)}
    if mapping_faults(mapping):
        return
    told, faults = mapped_format(mapping).parse(row, LINE, asked=True)
    assert bool(told) != bool(faults)
    assert all(fault.line == LINE and fault.do for fault in faults)
