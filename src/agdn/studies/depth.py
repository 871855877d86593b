"""Memory and time of training against depth, in hops and in layers: hops stored, recomputed, or layers reversible.

One network in three forms, :class:`agdn.models.rev_agdn.RevAGDN`: ``store`` keeps what every layer and hop made,
``recompute`` walks the hops again in backward, ``reversible`` computes the layers' inputs back from their outputs.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from pydantic import Field, PositiveInt

from agdn.experiments.checking import checked
from agdn.experiments.config import Config
from agdn.experiments.overrides import with_overrides
from agdn.experiments.recipes import read_recipe
from agdn.experiments.section import Section
from agdn.report.charts.drawing import drawing
from agdn.report.charts.lines import Along, Line, LineChart
from agdn.report.sections.section import style_of
from agdn.studies.amounts import duration, memory
from agdn.studies.gathering import Value, curve_along, values_of, where
from agdn.studies.page import Figure, Page, Table
from agdn.studies.study import Cell, Facts, Outcome, Study, cell_of

NAME = "depth"
FORMS: dict[str, dict[str, Any]] = {
    "store": {"reversible": False, "memory": "store"},
    "recompute": {"reversible": False, "memory": "recompute"},
    "reversible": {"reversible": True, "memory": "store"},
    "reversible, recompute": {"reversible": True, "memory": "recompute"},
}
HEADER = (
    "layers", "K", "form", "memory of a step", "memory, times store", "time of a step", "time, times store",
    "parameters",
)  # fmt: skip


class Settings(Section):
    """Which depths, on which graph.

    Attributes:
        recipe: What the data is taken from; None for a random graph of power-law degrees.
        nodes: Of the random graph.
        degree: Links that are drawn a node of the random graph.
        channels: Channels a head.
        heads: Attention heads.
        hops: Values of K, at the first number of layers.
        layers: Numbers of layers, at the first K.
    """

    recipe: str | None = None
    nodes: PositiveInt = 20_000
    degree: PositiveInt = 8
    channels: PositiveInt = 64
    heads: PositiveInt = 2
    hops: tuple[PositiveInt, ...] = Field((2, 4, 8, 16), min_length=1)
    layers: tuple[PositiveInt, ...] = Field((4, 8, 16, 32), min_length=1)


def cells(settings: Settings, changes: Sequence[str]) -> list[Cell]:
    for key in ("nodes", "degree"):
        if settings.recipe is not None and key in settings.model_fields_set:
            raise ValueError(f"{key} is of the random graph; with recipe={settings.recipe} it would not count")
    base = _random(settings, changes) if settings.recipe is None else read_recipe(settings.recipe, changes)
    if base.training.epochs < 1:
        raise ValueError(f"the study {NAME} measures steps of training; training.epochs must be at least 1")
    depths = [(settings.layers[0], hops) for hops in settings.hops]
    depths += [(layers, settings.hops[0]) for layers in settings.layers]
    found = []
    for layers, hops in dict.fromkeys(depths):
        for form, own in FORMS.items():
            network = {
                "name": "RevAGDN", "hidden_channels": settings.channels, "heads": settings.heads, "dropout": 0.2,
                "hops": hops, "num_layers": layers, **own,
            }  # fmt: skip
            facts: Facts = {"layers": layers, "K": hops, "form": form}
            found.append(cell_of(NAME, base, facts, network=network))
    return found


def _random(settings: Settings, changes: Sequence[str]) -> Config:
    options = {"num_nodes": settings.nodes, "num_edges": settings.nodes * settings.degree, "num_features": 64}
    content = {
        "name": f"rmat-{settings.nodes}",
        "data": {"name": "rmat", "options": options, "self_loops": "add", "seed": 0},
        "model": {"name": "RevAGDN", "hidden_channels": settings.channels},
    }
    return checked(with_overrides(content, changes), f"the study {NAME}")


def page(settings: Settings, outcomes: Sequence[Outcome]) -> Page:
    fits = [each for each in outcomes if "step bytes" in each.observed]
    sizes = fits[0].observed if fits else {"nodes": 0, "edges": 0, "threads": 0}
    text = [
        f"A training step on {sizes['nodes']:,} nodes and {sizes['edges']:,} edges with {settings.heads} heads of "
        f"{settings.channels} channels and {sizes['threads']} threads: forward, loss, backward and update, each "
        "setting in a process of its own. Memory is what was resident at most beyond data and weights; gradients and "
        "the optimiser's state, which grow with the number of layers whatever the form, are in it.",
    ]
    return Page("Depth: memory and time", text, [*([_figure(settings, fits)] if fits else []), _table(outcomes)])


def _figure(settings: Settings, outcomes: Sequence[Outcome]) -> Figure:
    forms = values_of(outcomes, "form")
    styles = {form: style_of(place) for place, form in enumerate(forms)}
    kinds: list[tuple[str, str, Value]] = [
        ("memory of a step", "GB", lambda each: each.observed["step bytes"] / 1e9),
        ("seconds a step", "seconds", lambda each: float(each.observed["step seconds"])),
    ]
    if any(each.observed["step bytes"] is None for each in outcomes):  # this system does not tell
        kinds = kinds[1:]
    panels = []
    for what, name, value in kinds:
        for fact, at in (
            ("K", where(outcomes, layers=settings.layers[0])),
            ("layers", where(outcomes, K=settings.hops[0])),
        ):
            found = [(form, curve_along(where(at, form=form), fact, value)) for form in forms]
            lines = [Line(form, styles[form], curve) for form, curve in found if curve is not None]
            held = f"{settings.layers[0]} layers" if fact == "K" else f"K = {settings.hops[0]}"
            title = f"{what[0].upper()}{what[1:]} against {fact}, {held}"
            if lines:
                panels.append((title, LineChart(what, title, name, lines, along=Along(fact)).svg(still=True)))
    title = "Memory and time against depth"
    return Figure("depth", title, drawing(title, panels, [(styles[form], form) for form in forms]))


def _table(outcomes: Sequence[Outcome]) -> Table:
    rows = []
    for each in outcomes:
        layers, hops, form = (each.facts[key] for key in ("layers", "K", "form"))
        found = each.observed
        if "failed" in found:
            rows.append([str(layers), str(hops), str(form), str(found["failed"]), "", "", "", ""])
            continue
        stored = [own.observed for own in where(outcomes, layers=layers, K=hops, form="store")]
        rows.append(
            [
                str(layers),
                str(hops),
                str(form),
                memory(found["step bytes"]),
                _ratio(found, stored, "step bytes"),
                duration(found["step seconds"]),
                _ratio(found, stored, "step seconds"),
                f"{found['parameters']:,}",
            ]
        )
    return Table("all", "Every depth", HEADER, rows)


def _ratio(found: Any, stored: Sequence[Any], key: str) -> str:
    known = stored and stored[0].get(key)
    return f"{found[key] / known:.2f}" if known and found[key] is not None else ""


STUDY = Study(
    name=NAME,
    summary="Memory and time of training against hops and layers: stored, recomputed, reversible.",
    settings=Settings,
    cells=cells,
    page=page,
    work="measure",
    seeds="0",
    frame=(),
)
