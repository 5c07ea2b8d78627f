"""An arm as textbooks draw it: lines, arcs and labels, for HTML and for LaTeX."""
