"""The reference of every public name, written from signatures and docstrings."""
