"""Files in the world -> Dataset, or one clear sentence why not."""
