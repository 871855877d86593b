"""`agdn bench`: ours and its peers on the same inputs, each in a process of its own."""
