"""docs/options.md from the code: every key of a recipe, every option of a command, with type, default and meaning."""
