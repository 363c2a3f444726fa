"""One small file for each kind of PRM that people publish or serve."""
