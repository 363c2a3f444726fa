"""The contents of the database of version 0.1.0, made through its own HTTP API, commands and tasks."""
