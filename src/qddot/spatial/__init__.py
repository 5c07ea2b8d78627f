"""Six-dimensional algebra of rigid bodies: vectors, rotations, poses, inertias. Knows no robots."""
