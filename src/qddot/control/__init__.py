"""Control: where an arm should go, laws that take it there, and why they do."""
