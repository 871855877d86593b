"""Search for settings: trials of a recipe, judged on validation nodes alone; the best becomes a recipe."""
