"""The sections of a report, one a file: each has `write`, which returns a chapter."""
