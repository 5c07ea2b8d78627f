"""Many runs of one robot: planned, shared out over cores or a cluster, kept as they finish."""
