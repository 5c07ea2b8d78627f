"""The textbook derivations of the equations of motion, one file each, over any scalar."""
