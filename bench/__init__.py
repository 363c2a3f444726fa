"""Measures speed and memory on the real servers: `make bench`. Nothing here is imported by the product."""
