"""From a program to something that runs: one file a way of lowering it."""
