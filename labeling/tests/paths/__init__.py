"""Choosing paths step by step."""
