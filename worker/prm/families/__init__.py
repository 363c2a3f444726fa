"""One small file for each kind of published or served PRM."""
