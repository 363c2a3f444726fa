"""Tests of the Python client and the command line `stepmark`, against the product itself."""
