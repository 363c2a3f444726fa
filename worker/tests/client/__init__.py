"""Tests of the Python client and of the command line `stepmark`, against the product itself."""
