"""Counts in sentences."""

from labeling.count_words import count_of


def test_one_is_singular_and_every_other_count_is_plural() -> None:
    assert [count_of(count, "trace") for count in (0, 1, 2, 1200)] == [
        "0 traces",
        "1 trace",
        "2 traces",
        "1,200 traces",
    ]
    assert [count_of(count, "retry", "retries") for count in (1, 2)] == ["1 retry", "2 retries"]
