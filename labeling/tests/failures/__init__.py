"""Tests of the page of failures: its figures against a truth that is known, and its API."""
