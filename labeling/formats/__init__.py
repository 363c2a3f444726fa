"""One file per external format: JSON rows <-> records. Pure: no Django, and no I/O except for the stream being read."""
