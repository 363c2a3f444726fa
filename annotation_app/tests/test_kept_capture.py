"""Code that closes pytest's output is reported, and later tests can still write."""

import gc
import io
import sys

import pytest

from annotation_app.tests.kept_capture import ForeignCloseWarning


def forget_a_wrapper() -> None:
    """An object that closes the buffer when it is collected."""
    io.TextIOWrapper(sys.stdout.buffer)
    gc.collect()


def test_output_that_a_test_closed_is_still_there_and_the_test_is_named(capfd: pytest.CaptureFixture[str]) -> None:
    with pytest.warns(ForeignCloseWarning, match="test_output_that_a_test_closed"):
        sys.stdout.close()
    print("still there")
    with pytest.warns(ForeignCloseWarning):
        forget_a_wrapper()
    print("and again")
    assert capfd.readouterr().out == "still there\nand again\n"
