"""The sets that have a name: which reader takes each, and where its files lie in the layouts that people have."""

from __future__ import annotations

import difflib
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from agdn.data.errors import DataError
from agdn.data.readers.planetoid import PARTS as PLANETOID_PARTS

Format = Literal["ogb", "planetoid", "heterophilous", "geom_gcn", "shchur", "seal"]


@dataclass(frozen=True)
class Place:
    """A path below the root and the format of what lies there; in a folder, ``marker`` is the file that proves it."""

    format: Format
    path: str
    marker: str | None = None

    def found(self, root: Path) -> bool:
        return (root / self.path / self.marker).is_file() if self.marker else (root / self.path).is_file()

    def __str__(self) -> str:
        return f"{self.path}/{self.marker}" if self.marker else self.path


def _ogb(folder: str, archive: str) -> tuple[Place, ...]:
    places = (folder, f"ogb/{folder}", f"dataset/{folder}", archive)
    return tuple(Place("ogb", path, f"raw/{file}") for path in places for file in ("edge.csv.gz", "data.npz"))


def _planetoid(name: str, title: str) -> tuple[Place, ...]:
    places = ("planetoid", f"{title}/raw", f"Planetoid/{title}/raw", f"planetoid/{title}/raw", ".")
    return tuple(Place("planetoid", path, f"ind.{name}.x") for path in places)


def _heterophilous(name: str) -> tuple[Place, ...]:
    places = ("heterophilous", f"{name}/raw", f"HeterophilousGraphDataset/{name}/raw", ".")
    return tuple(Place("heterophilous", f"{path}/{name}.npz") for path in places)


def _wikipedia(name: str) -> tuple[Place, ...]:
    folders = (f"{name}/geom_gcn/raw", f"WikipediaNetwork/{name}/geom_gcn/raw")
    return (*_heterophilous(name), *_geom_gcn(*folders))


def _geom_gcn(*folders: str) -> tuple[Place, ...]:
    return tuple(Place("geom_gcn", folder, "out1_graph_edges.txt") for folder in folders)


def _shchur(file: str, collection: str, title: str) -> tuple[Place, ...]:
    places = ("amazon_coauthor", f"{collection}/{title}/raw", f"{title}/raw", ".")
    return tuple(Place("shchur", f"{path}/{file}.npz") for path in places)


def _seal(file: str) -> tuple[Place, ...]:
    return tuple(Place("seal", f"{path}/{file}.mat") for path in ("seal", "SEAL/Python/data", "data", "."))


PLACES: dict[str, tuple[Place, ...]] = {
    "cora": _planetoid("cora", "Cora"),
    "citeseer": _planetoid("citeseer", "CiteSeer"),
    "pubmed": _planetoid("pubmed", "PubMed"),
    "ogbn-arxiv": _ogb("ogbn_arxiv", "arxiv"),
    "ogbn-products": _ogb("ogbn_products", "products"),
    "ogbn-proteins": _ogb("ogbn_proteins", "proteins"),
    "ogbn-papers100M": _ogb("ogbn_papers100M", "papers100M-bin"),
    "ogbl-ppa": _ogb("ogbl_ppa", "ppassoc"),
    "ogbl-ddi": _ogb("ogbl_ddi", "ddi"),
    "ogbl-collab": _ogb("ogbl_collab", "collab"),
    "ogbl-citation2": _ogb("ogbl_citation2", "citation-v2"),
    "chameleon": _wikipedia("chameleon"),
    "squirrel": _wikipedia("squirrel"),
    "actor": (*_heterophilous("actor"), *_geom_gcn("Actor/raw", "actor/raw")),
    "minesweeper": _heterophilous("minesweeper"),
    "tolokers": _heterophilous("tolokers"),
    "roman-empire": _heterophilous("roman_empire"),
    "amazon-ratings": _heterophilous("amazon_ratings"),
    "questions": _heterophilous("questions"),
    "amazon-photo": _shchur("amazon_electronics_photo", "Amazon", "Photo"),
    "amazon-computers": _shchur("amazon_electronics_computers", "Amazon", "Computers"),
    "coauthor-cs": _shchur("ms_academic_cs", "Coauthor", "CS"),
    "coauthor-physics": _shchur("ms_academic_phy", "Coauthor", "Physics"),
    "usair": _seal("USAir"),
    "ns": _seal("NS"),
    "celegans": _seal("Celegans"),
    "power": _seal("Power"),
    "yeast": _seal("Yeast"),
    "pb": _seal("PB"),
    "router": _seal("Router"),
    "ecoli": _seal("Ecoli"),
}

EMBEDDED = ("digits", "csbm", "rmat", "long-range", "edge-task")


def canonical(name: str) -> str:
    """The name as the catalogue spells it, whatever the case and whether words are parted by ``-`` or ``_``."""
    known = {entry.lower(): entry for entry in (*PLACES, *EMBEDDED)}
    asked = name.strip().lower().replace("_", "-")
    if asked not in known:
        close = difflib.get_close_matches(asked, known, n=3, cutoff=0.5)
        hint = f"did you mean {' or '.join(known[entry] for entry in close)}?" if close else "known names"
        listed = "" if close else f": {', '.join(sorted(known.values()))}"
        raise DataError(f"there is no data set named {name!r}; {hint}{listed}")
    return known[asked]


def locate(name: str, root: Path) -> Place:
    """The first place below ``root`` that holds the set ``name``."""
    places = PLACES[name]
    for place in places:
        if place.found(root):
            return place
    looked = ", ".join(dict.fromkeys(str(place) for place in places))
    raise DataError(
        f"{name} was not found in {root}, which was searched for {looked}; put {_needed(name, places[0])} there, "
        "or name another folder as root or in AGDN_DATA"
    )


def source_files(place: Place, root: Path, name: str) -> list[Path]:
    """Every file that the set is made of."""
    path = root / place.path
    if place.marker is None:
        return [path]
    if place.format == "planetoid":
        return sorted(path / f"ind.{name}.{part}" for part in PLANETOID_PARTS if (path / f"ind.{name}.{part}").exists())
    if place.format == "geom_gcn":
        return sorted(file for file in path.iterdir() if file.is_file())
    folders = ("raw", "split", "mapping")
    return sorted(file for folder in folders for file in (path / folder).rglob("*") if file.is_file())


def _needed(name: str, place: Place) -> str:
    if place.format == "planetoid":
        return f"the eight files ind.{name}.* into {place.path}/"
    if place.format == "ogb":
        return f"the unpacked OGB folder as {place.path}/"
    return f"the file {place.path}"
