"""Tests of scores made elsewhere."""
