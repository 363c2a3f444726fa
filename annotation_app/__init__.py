"""The wiring: settings, routes and processes. What Stepmark does lives in `labeling`."""
