"""The contents of the database of version 0.2.0: the same people as in 0.1.0, with its names."""
