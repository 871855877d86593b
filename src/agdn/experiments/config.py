"""Everything that a run depends on, as one frozen record: what a recipe says, checked key by key."""

from __future__ import annotations

from collections.abc import Callable
from typing import Annotated, Any, Literal

from pydantic import Field, NonNegativeInt, PositiveFloat, PositiveInt

from agdn.experiments.link_options import Link
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
    """One of the splits that the set comes with.

    Attributes:
        index: Its number, or ``seed`` for the one with the run's number.
    """

    name: Literal["published"] = "published"
    index: NonNegativeInt | Literal["seed"] = 0


class RandomSplit(Section):
    """Drawn anew for every seed.

    Attributes:
        fractions: Shares of the nodes that train, validate and test.
    """

    name: Literal["random"]
    fractions: Shares = (0.6, 0.2, 0.2)


class StratifiedSplit(Section):
    """Drawn anew for every seed, class by class.

    Attributes:
        fractions: Shares of every class that train, validate and test.
    """

    name: Literal["stratified"]
    fractions: Shares = (0.6, 0.2, 0.2)


class PerClassSplit(Section):
    """So many training nodes a class, drawn anew for every seed.

    Attributes:
        train_per_class: Training nodes of every class.
        valid: Validation nodes in all; this or ``valid_per_class`` is needed, and what is left over tests.
        valid_per_class: Validation nodes of every class.
    """

    name: Literal["per_class"]
    train_per_class: PositiveInt = 20
    valid: PositiveInt | None = None
    valid_per_class: PositiveInt | None = None


class EdgesSplit(Section):
    """Edges, for link prediction: drawn anew for every seed, with as many pairs that are not linked.

    Attributes:
        valid: Share of the edges that validates.
        test: Share of the edges that tests; the message graph keeps what is left.
        metric: How links are scored: ``rocauc``, ``average_precision``, ``mrr`` or ``hits@`` and a number.
    """

    name: Literal["edges"]
    valid: Share = 0.05
    test: Share = 0.1
    metric: str = "rocauc"


Split = Annotated[
    PublishedSplit | RandomSplit | StratifiedSplit | PerClassSplit | EdgesSplit, Field(discriminator="name")
]


class Walks(Section):
    """Node features that random walks on the message graph learn (DeepWalk; node2vec with ``p`` and ``q``).

    Attributes:
        channels: Width of the features.
        walk_length: Nodes of a walk.
        window: Nodes of a window on a walk that belong together.
        walks_per_node: Walks from every node in an epoch.
        p: Return parameter of node2vec.
        q: In-out parameter of node2vec.
        epochs: Rounds of such walks.
    """

    channels: PositiveInt = 128
    walk_length: PositiveInt = 40
    window: PositiveInt = 20
    walks_per_node: PositiveInt = 10
    p: PositiveFloat = 1.0
    q: PositiveFloat = 1.0
    epochs: PositiveInt = 1


class _Diffusion(Section):
    """What both diffusions have in common.

    Attributes:
        top_k: Edges out of a node that are kept, the heaviest; this or ``epsilon`` is needed.
        epsilon: Weight from which on edges are kept.
        method: ``exact`` computes a dense matrix, ``approximate`` a column at a time; ``auto`` by the graph's size.
        tolerance: What an approximation may leave behind at a node, for each of its edges.
    """

    top_k: PositiveInt | None = None
    epsilon: PositiveFloat | None = None
    method: Literal["auto", "exact", "approximate"] = "auto"
    tolerance: Annotated[float, Field(gt=0, lt=1)] = 1e-5


class PPRDiffusion(_Diffusion):
    """Personalised PageRank in place of the edges.

    Attributes:
        alpha: Restart probability.
    """

    name: Literal["PPR"] = "PPR"
    alpha: Annotated[float, Field(gt=0, lt=1)] = 0.15


class HeatDiffusion(_Diffusion):
    """The heat kernel in place of the edges.

    Attributes:
        t: Time.
    """

    name: Literal["heat"]
    t: Annotated[float, Field(gt=0, le=100)] = 5.0


Diffusion = Annotated[PPRDiffusion | HeatDiffusion, Field(discriminator="name")]


class Data(Section):
    """Which set, how it is split, and what is done to it before a model sees it.

    Attributes:
        name: A known set, or the folder of a stored one.
        root: Folder of the data sets; None for the usual place.
        split: Which nodes train, validate and test.
        seed: Of sets that are generated or split by chance; ``run`` for the run's own.
        options: Of the generator of a set that comes with the library.
        features: A .npy or .npz file of node features, or several side by side, in place of the built-in ones.
        join_features: Put these features beside the built-in ones instead.
        reverse_edges: ``merge`` adds every edge backwards and merges repeated ones, ``append`` keeps all.
        self_loops: ``add`` gives every node exactly one, ``remove`` none.
        diffusion: Replace the edges, after that, by the weighted ones of a diffusion over them (GDC).
        scaling: ``row`` makes the features of every node sum to one.
        edge_features: ``drop`` leaves the features of edges out; ``mean`` too, and gives every node the mean of
            those of the edges that lead to it.
        degree: Add the logarithm of 1 + in-degree to the node features.
        node_ids: ``join`` adds a column for every node, with a one in its own row, to the node features, ``only``
            puts these in their place: the first layer then learns a vector of each node. For up to 20,000 nodes.
        walks: Learn node features by random walks on the edges that this split lets a model see, beside other ones.
    """

    name: str = Field(min_length=1)
    root: str | None = None
    split: Split = PublishedSplit()
    seed: NonNegativeInt | Literal["run"] = "run"
    options: dict[str, Any] = Field(default_factory=dict)
    features: str | tuple[str, ...] | None = None
    join_features: bool = False
    reverse_edges: Literal["none", "merge", "append"] = "none"
    self_loops: Literal["keep", "add", "remove"] = "keep"
    diffusion: Diffusion | None = None
    scaling: Literal["none", "row"] = "none"
    edge_features: Literal["keep", "drop", "mean"] = "keep"
    degree: bool = False
    node_ids: Literal["none", "join", "only"] = "none"
    walks: Walks | None = None

    @property
    def feature_files(self) -> tuple[str, ...]:
        """Those of ``features``, however many there are."""
        return (self.features,) if isinstance(self.features, str) else self.features or ()

    def features_by(self, name: Callable[[str], str]) -> str | tuple[str, ...] | None:
        """The same files of features under other names."""
        if self.features is None or isinstance(self.features, str):
            return self.features and name(self.features)
        return tuple(map(name, self.features))


class Task(Section):
    """What is learnt about nodes.

    Attributes:
        loss: For classes ``cross_entropy``, ``loge``, ``savage`` or ``loge_savage``, for yes/no answers ``binary_`` in
            front of these, for numbers ``mse``, ``mae`` or ``huber``; None for the first of these.
        class_weights: A number a class (for yes/no answers the weight of each one's positives), or ``balanced``.
        label_smoothing: Share of the certainty that the labels lose.
        standardize: Learn numbers in units of the training nodes' spread; scores stay in the user's units.
        labels: Known labels as a part of the input.
        consistency: A penalty on passes that do not agree.
        distillation: Learn from a teacher's outputs beside the labels.
        correct_and_smooth: What is done to the outputs after training.
        setting: ``inductive`` hides validation and test nodes with their edges in training.
    """

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


class Distributed(Section):
    """How several processes share a run; see ``agdn train --nproc`` and torchrun.

    Attributes:
        mode: ``graph`` gives every process a part of the graph and computes what one process would; ``parts`` deals
            out the batches of a sampler, or of links, and averages gradients; ``auto`` is ``parts`` where there are
            batches, else ``graph``.
        partition: Who owns which nodes in mode ``graph``: ``metis``, with few edges between parts, or ``random``.
        timeout: Seconds that processes wait for each other before the run ends with an error that names the late one.
    """

    mode: Literal["auto", "graph", "parts"] = "auto"
    partition: Literal["metis", "random"] = "metis"
    timeout: PositiveFloat = 1800.0


class Figure(Section):
    """A test score with its spread, in percent where the metric is a share.

    Attributes:
        metric: Name of the score.
        test: Mean on test nodes.
        test_std: Its standard deviation over the seeds.
    """

    metric: str
    test: float
    test_std: float | None = None

    def shown(self) -> str:
        """``73.41 ± 0.25``."""
        return f"{self.test:.2f}" + ("" if self.test_std is None else f" ± {self.test_std:.2f}")


class Published(Figure):
    """The figure that a paper prints for this recipe; tables show it beside the measured one.

    Attributes:
        valid: Mean on validation nodes.
        valid_std: Its standard deviation over the seeds.
        seeds: Which seeds, or how many, the figure is over.
        source: Where it is printed.
    """

    valid: float | None = None
    valid_std: float | None = None
    seeds: str | None = None
    source: str


class Config(Section):
    """A run's whole configuration.

    Attributes:
        format_version: Of the recipe's form.
        name: Under which runs are kept and shown; by default that of the recipe or its file.
        description: One sentence for ``agdn list recipes``.
        data: Which set, and what is done to it.
        model: ``name``, perhaps a ``preset``, and the options of that model's constructor.
        task: What is learnt about nodes.
        link: Learn links instead, in this way; None for nodes.
        training: How it is learnt.
        sampling: Train in pieces of the graph; None takes all of it in every step.
        inference_memory: Evaluate layer by layer, with hidden states in memory up to so much (8GB) and in mapped files
            beyond it; None evaluates all at once.
        distributed: How several processes share the run, where several are started.
        device: ``cpu`` or ``cuda``.
        threads: Of torch and the kernels; None shares out the machine's cores. Bits repeat at a fixed number.
        published: The figure that a paper prints for this recipe.
    """

    format_version: Literal[1] = FORMAT_VERSION
    name: str = ""
    description: str = ""
    data: Data
    model: dict[str, Any]
    task: Task = Task()
    link: Link | None = None
    training: Settings = Settings()
    sampling: Sampling | None = None
    inference_memory: MemorySize | None = None
    distributed: Distributed = Distributed()
    device: str = "cpu"
    threads: PositiveInt | None = None
    published: Published | None = None
