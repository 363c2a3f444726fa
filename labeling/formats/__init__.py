"""A file per outside format: JSON rows <-> records. Pure: no Django, no I/O beyond the stream a reader is handed."""
