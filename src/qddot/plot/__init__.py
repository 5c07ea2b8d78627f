"""Figures, one family a file. They draw plain arrays, so that every result can draw itself."""
