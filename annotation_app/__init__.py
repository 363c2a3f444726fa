"""The wiring: settings, routes and processes. What Stepmark does is in `labeling`."""
