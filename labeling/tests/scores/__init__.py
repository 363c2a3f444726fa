"""Tests of scores that were made elsewhere."""
