"""Figures for the known failures of process reward models, for one selector. Pure: labels and scores in, figures out.

Each figure is a number with its interval, or has none and says why and what would make it measurable. No figure is a
verdict: gaming, for example, is a yield that falls *while* scores rise, and each of the two alone has harmless causes.
"""
