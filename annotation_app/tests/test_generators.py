"""GENERATORS: what an operator may write, and the message for each mistake."""

import json

import pytest
from django.core.exceptions import ImproperlyConfigured

from annotation_app.generators import read_generators


def test_generators_are_read_with_their_defaults() -> None:
    found = read_generators('{"b": {"url": "http://10.0.0.7:8000/v1"}, "a": {"url": "https://x.org/v1", "batch": 1}}')
    assert list(found) == ["a", "b"]
    assert (found["a"].batch, found["b"].batch, found["b"].stream, found["b"].models) == (1, 8, True, ())
    assert read_generators("{}") == read_generators("") == {}


@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        ("{", "one line of JSON"),
        ("[]", "one line of JSON"),
        ('{"a": {}}', "at least"),
        ('{"a": "https://x.org"}', "at least"),
        ('{"a": {"url": "https://x.org", "keys": 1}}', "unknown keys"),
        ('{"a": {"url": "file:///etc/passwd"}}', "http"),
        ('{"a": {"url": "https://name:password@x.org"}}', "http"),
        ('{"a": {"url": "https://x.org/v1?key=1"}}', "http"),
        ('{"a": {"url": "https://[x"}}', "http"),
        ('{"a": {"url": "https://x.org", "batch": 0}}', "batch"),
        ('{"a": {"url": "https://x.org", "timeout": "1"}}', "timeout"),
        ('{"a": {"url": "https://x.org", "models": "m"}}', "models"),
        ('{"a": {"url": "https://x.org", "models": [1]}}', "models"),
        ('{"a": {"url": "https://x.org", "key": "sk-secret", "key_env": "K"}}', "both"),
        ('{" ": {"url": "https://x.org"}}', "name"),
    ],
)
def test_a_mistake_is_named_without_the_key(text: str, sentence: str) -> None:
    with pytest.raises(ImproperlyConfigured, match=sentence) as fault:
        read_generators(text)
    assert "sk-secret" not in str(fault.value)
    assert "password" not in str(fault.value)


def test_a_key_never_shows_in_a_generator_as_text() -> None:
    (generator,) = read_generators(json.dumps({"a": {"url": "https://x.org", "key": "sk-secret"}})).values()
    assert "sk-secret" not in f"{generator} {generator!r}"
    assert generator.key == "sk-secret"
