"""Everything that a run depends on, as one frozen record: what a recipe says, checked key by key."""

from __future__ import annotations

from typing import Annotated, Any, Literal

from pydantic import Field, NonNegativeInt, PositiveInt

from agdn.experiments.memory_size import MemorySize
from agdn.experiments.sampling import Sampling
from agdn.experiments.section import Section
from agdn.tasks.consistency import ConsistencyOptions
from agdn.tasks.correct_and_smooth import SmoothingOptions
from agdn.tasks.distillation import DistillationOptions
from agdn.tasks.label_input import LabelOptions
from agdn.training.settings import Settings

FORMAT_VERSION: Literal[1] = 1


Share = Annotated[float, Field(ge=0, le=1)]
Shares = tuple[Share, Share, Share]


class PublishedSplit(Section):
    """One of the splits that the set comes with: a number, or ``seed`` for the one with the run's number."""

    name: Literal["published"] = "published"
    index: NonNegativeInt | Literal["seed"] = 0


class RandomSplit(Section):
    """Drawn anew for every seed."""

    name: Literal["random"]
    fractions: Shares = (0.6, 0.2, 0.2)


class StratifiedSplit(Section):
    """Drawn anew for every seed, class by class."""

    name: Literal["stratified"]
    fractions: Shares = (0.6, 0.2, 0.2)


class PerClassSplit(Section):
    """So many training nodes a class, drawn anew for every seed."""

    name: Literal["per_class"]
    train_per_class: PositiveInt = 20
    valid: PositiveInt | None = None
    valid_per_class: PositiveInt | None = None


Split = Annotated[PublishedSplit | RandomSplit | StratifiedSplit | PerClassSplit, Field(discriminator="name")]


class Data(Section):
    """Which set, how it is split, and what is done to it before a model sees it.

    Attributes:
        name: A known set, or the folder of a stored one.
        root: Where files lie; None for the usual place.
        seed: Of sets that are generated or split by chance; ``run`` for the run's own.
        options: Of an embedded set's generator.
        features, join_features: A file of node features, in place of the built-in ones or beside them.
        reverse_edges: ``merge`` adds every edge backwards and merges repeated ones, ``append`` keeps all.
        self_loops: ``add`` gives every node exactly one.
        scaling: ``row`` makes the features of every node sum to one.
        edge_features: ``drop`` leaves the features of edges out.
        degree: Add the logarithm of 1 + in-degree to the node features.
    """

    name: str = Field(min_length=1)
    root: str | None = None
    split: Split = PublishedSplit()
    seed: NonNegativeInt | Literal["run"] = "run"
    options: dict[str, Any] = Field(default_factory=dict)
    features: str | None = None
    join_features: bool = False
    reverse_edges: Literal["none", "merge", "append"] = "none"
    self_loops: Literal["keep", "add", "remove"] = "keep"
    scaling: Literal["none", "row"] = "none"
    edge_features: Literal["keep", "drop"] = "keep"
    degree: bool = False


class Task(Section):
    """What is learnt: see :class:`agdn.tasks.node.NodeTask`."""

    loss: str | None = None
    class_weights: tuple[float, ...] | Literal["balanced"] | None = None
    label_smoothing: Annotated[float, Field(ge=0, lt=1)] = 0.0
    standardize: bool = True
    labels: LabelOptions | None = None
    consistency: ConsistencyOptions | None = None
    distillation: DistillationOptions | None = None
    correct_and_smooth: SmoothingOptions | None = None
    setting: Literal["transductive", "inductive"] = "transductive"

    def options(self) -> dict[str, Any]:
        """What :class:`agdn.tasks.node.NodeTask` takes."""
        return {name: getattr(self, name) for name in type(self).model_fields if name != "setting"}


class Figure(Section):
    """A test score with its spread, in percent where the metric is a share."""

    metric: str
    test: float
    test_std: float | None = None

    def shown(self) -> str:
        """``73.41 ± 0.25``."""
        return f"{self.test:.2f}" + ("" if self.test_std is None else f" ± {self.test_std:.2f}")


class Published(Figure):
    """The figure that a paper prints for this recipe."""

    valid: float | None = None
    valid_std: float | None = None
    seeds: str | None = None
    source: str


class Config(Section):
    """A run's whole configuration.

    Attributes:
        model: ``name``, perhaps a ``preset``, and the options of that model's constructor.
        sampling: Train in pieces of the graph; None takes all of it in every step.
        inference_memory: Evaluate layer by layer, with hidden states in memory up to so much (8GB) and in mapped files
            beyond it; None evaluates all at once.
        threads: Of torch and the kernels; None shares out the machine's cores. Bits repeat at a fixed number.
    """

    format_version: Literal[1] = FORMAT_VERSION
    name: str = ""
    description: str = ""
    data: Data
    model: dict[str, Any]
    task: Task = Task()
    training: Settings = Settings()
    sampling: Sampling | None = None
    inference_memory: MemorySize | None = None
    device: str = "cpu"
    threads: PositiveInt | None = None
    published: Published | None = None
