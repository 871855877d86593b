"""Wiring: a recipe and a seed become a run folder and a result; the only room that knows all the others."""

from agdn.experiments.load import TrainedModel, load
from agdn.experiments.result import Result, Run
from agdn.experiments.run import run

__all__ = ["Result", "Run", "TrainedModel", "load", "run"]
