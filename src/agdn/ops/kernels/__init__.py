"""Numba kernels for float32 and float64 on CPU; :mod:`agdn.ops` decides when they run.

All work on NumPy views of contiguous tensors. Every output row belongs to one thread and is summed in a fixed order;
sums over nodes are taken chunk by chunk, with chunks that depend on the graph alone. Results therefore have the same
bits whatever the number of threads.
"""
