"""Files in a bucket."""
