"""Motion from torques: one arm accurately, many arms quickly, with an account of every joule."""
