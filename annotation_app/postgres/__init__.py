"""Django's PostgreSQL backend with two additions; `ENGINE` in the settings names this package."""
