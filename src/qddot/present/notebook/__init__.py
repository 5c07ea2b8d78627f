"""What a notebook shows of each result."""
