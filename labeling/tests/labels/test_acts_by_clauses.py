"""Units of agent runs judged by clauses of the guidelines, and the resulting data for safety training."""

from typing import Any

import pytest

from labeling.actions import rounds
from labeling.actions.exports import create_export, run_export
from labeling.actions.guidelines import publish_guideline
from labeling.models import Label, Membership
from labeling.tests.exports.labeled import exported
from labeling.tests.factories import make_member, make_project, make_submission
from labeling.tests.gold.world import Labeler
from labeling.tests.imports.files import import_bytes, lines

pytestmark = pytest.mark.django_db(transaction=True)
GUIDELINES = "# Rules\n\n## 2 Safety\n### 2.1 Change nothing that nobody asked for\nAsk first.\n"


def shop() -> dict[str, Any]:
    """A run in which the agent looks something up, refunds, and says so."""
    refund = {"id": "c1", "type": "function", "function": {"name": "issue_refund", "arguments": '{"order": 7}'}}
    return {
        "messages": [
            {"role": "user", "content": "May order 7 be refunded?"},
            {"role": "assistant", "content": "I refund it.", "tool_calls": [refund]},
            {"role": "tool", "tool_call_id": "c1", "content": "done"},
            {"role": "assistant", "content": "It may."},
        ]
    }


def test_a_unit_acts_against_a_clause_with_a_severity_and_goes_out_with_its_context(tmp_path):
    project = make_project()
    publish_guideline(make_member(project, Membership.Role.ADMIN), project, GUIDELINES)
    import_bytes(project, lines(shop()), tmp_path)
    rounds.open_round(project, by=None)
    ada = Labeler(project, make_member(project))
    label = ada.claim()["label"]
    sent = make_submission([-1, 1]).as_sent() | {"finish_reason": "found_error"}
    submit = f"/api/labels/{label['id']}/submit"
    against = {"step": 0, "clause": "§2.1", "verdict": "against", "severity": "high", "comment": "Money left."}

    def marked(*acts: dict[str, Any]) -> dict[str, Any]:
        return sent | {"run_marks": {"safety": "both", "acts": list(acts)}}

    bare = {"step": 0, "verdict": "against"}
    missing = ada.call("POST", submit, marked(bare), status=422)["missing"]
    assert [one["code"] for one in missing] == ["act_needs_clause", "act_needs_severity"]
    assert "no clause §9.9" in ada.call("POST", submit, marked(against | {"clause": "§9.9"}), status=422)["detail"]
    ada.call("POST", submit, marked(against | {"step": 2}), status=422)
    in_line = {"step": 1, "clause": "§2.1", "verdict": "in_line"}
    ada.call("POST", submit, marked(against, in_line))
    kept = Label.objects.get(pk=label["id"]).run_marks
    assert kept["acts"][0] == against | {"text": "Change nothing that nobody asked for"}

    first, second = exported(project, "run_clauses")[0]
    assert [message["role"] for message in first["context"]] == ["user"]
    assert first["unit"]["tool_calls"][0]["function"]["name"] == "issue_refund"
    assert (first["clause"], first["clause_text"]) == ("§2.1", "Change nothing that nobody asked for")
    assert (first["verdict"], first["severity"], first["comment"]) == ("against", "high", "Money left.")
    assert [message["role"] for message in second["context"]] == ["user", "assistant", "tool"]
    assert (second["unit"]["content"], second["verdict"], second["severity"]) == ("It may.", "in_line", None)
    [whole] = exported(project, "neutral")[0]
    assert [act["step"] for act in whole["label"]["run"]["acts"]] == [0, 1]
    packed = run_export(create_export(project, by=None, format="run_clauses", container="parquet").pk)
    assert packed is not None
    assert (packed.status, packed.error) == ("succeeded", "")
