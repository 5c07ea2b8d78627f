"""What pages are made of: elements, one look, a view of an arm. Knows no robots."""
