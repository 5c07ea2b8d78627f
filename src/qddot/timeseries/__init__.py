"""Columns of numbers with names, and the files that hold them: CSV, Parquet, .npz."""
