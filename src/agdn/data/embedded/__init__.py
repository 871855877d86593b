"""Sets that need no files: scikit-learn's digits, and generators for tests, studies and scale."""
