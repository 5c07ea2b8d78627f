"""From a model back to a file that reads as the same model."""
