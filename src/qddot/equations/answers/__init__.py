"""Is mine right? Answers of others to what we derive: read, compared exactly, and explained."""
