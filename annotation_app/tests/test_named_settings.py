"""Settings that are one line of JSON by name follow the same rules, and an error names the setting."""

import json
from pathlib import Path
from typing import Any

import pytest
from django.core.exceptions import ImproperlyConfigured

from annotation_app.generators import read_generators
from annotation_app.label_targets import read_label_targets
from annotation_app.local.installation import BASES
from annotation_app.named_settings import LONGEST_NAME, is_address
from annotation_app.prm_servers import read_prm_servers
from annotation_app.release_targets import read_release_targets
from annotation_app.training_bases import read_bases

READ: dict[str, tuple[Any, Any]] = {
    "GENERATORS": (read_generators, {"url": "https://host/v1"}),
    "PRM_SERVERS": (read_prm_servers, {"url": "http://gpu:8000", "family": "pooling_server", "models": ["prm"]}),
    "RELEASE_TARGETS": (read_release_targets, {"kind": "huggingface", "to": "owner/name", "token_env": "TOKEN"}),
    "LABEL_TARGETS": (read_label_targets, {"kind": "langfuse", "token_env": "KEYS"}),
    "TRAINING_BASES": (read_bases, "folder"),
}


def test_every_setting_by_name_is_named_with_what_to_write_instead(subtests: Any) -> None:
    for setting, (read, record) in READ.items():
        with subtests.test(setting=setting):
            assert list(read(json.dumps({"b": record, "a": record}))) == ["a", "b"]
            assert read("") == {}
            for text in ("[]", "sk-secret"):
                with pytest.raises(ImproperlyConfigured, match=f"^{setting} must be one line of JSON: ") as fault:
                    read(text)
                assert "sk-secret" not in str(fault.value)
            for name in (" ", "n" * (LONGEST_NAME + 1)):
                with pytest.raises(ImproperlyConfigured, match=f"^{setting}: a name must have 1 to {LONGEST_NAME} "):
                    read(json.dumps({name: record}))


def test_an_address_holds_no_password_query_or_fragment() -> None:
    assert is_address("https://host:8000/v1", with_path=True)
    for url in (
        "https://:word@host",
        "https://a@host",
        "https://host?a",
        "https://host#a",
        "host",
        "https://h:0",
        None,
    ):
        assert not is_address(url, with_path=True), url
    assert not is_address("https://host/v1", with_path=False)


def test_the_documents_name_the_base_of_the_demo_as_trainings_do() -> None:
    told = (Path(__file__).parents[2] / "docs/training.md").read_text()
    for name, folder in BASES.items():
        assert f"it is called `{name}`" in told
        assert f"TRAINING_BASES={json.dumps({name: folder})}" in told
