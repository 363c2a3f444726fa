"""Stepmark on one machine without Docker: Postgres and Valkey from wheels, one supervisor over all processes."""
