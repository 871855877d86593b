"""One file a format: what lies on disk -> Dataset."""
