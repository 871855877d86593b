"""The measured programs. Each process runs ``serve.py``, which runs a task of ``tasks.py`` with the parts of one peer.

A peer is a module with functions that make a graph, a layer, a model, or do one operation. Nothing here imports agdn
but ``ours.py``, since other environments need not have it; so the files find each other by name, beside ``serve.py``.
"""
