"""One training on several processes, on one machine or many: torch.distributed is the engine."""
