"""`python -m qddot`: the command line."""

from qddot.cli import main

main()
