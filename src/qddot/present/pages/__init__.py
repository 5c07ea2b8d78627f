"""Pages: their elements, one look, drawings inside them, a view of an arm."""
