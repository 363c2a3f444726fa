"""Tests of the page of failures: its figures against a known truth, and its API."""
