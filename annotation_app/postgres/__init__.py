"""Django's PostgreSQL backend with two things of our own; `ENGINE` in the settings names this package."""
