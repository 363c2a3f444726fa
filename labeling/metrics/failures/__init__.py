"""Figures of the failures that the field warns of, of one selector. Pure: what people said and what was scored in.

Each figure is a number with its interval, or none with why and with what would make it measurable. No figure is a
verdict: gaming, say, is a yield that falls *while* scores rise, and each of the two alone has harmless causes.
"""
