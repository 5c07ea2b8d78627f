"""`python -m qddot.cli`."""

from qddot.cli import main

main()
