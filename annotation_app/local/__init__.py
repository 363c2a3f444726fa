"""Stepmark on one machine without Docker: Postgres and Valkey from wheels, and one supervisor for all processes."""
