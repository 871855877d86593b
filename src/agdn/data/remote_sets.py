"""Where the published sets can be fetched, and where their files go under the data folder."""

from __future__ import annotations

from dataclasses import dataclass

OGB = "https://snap.stanford.edu/ogb/data"
GITHUB = "https://raw.githubusercontent.com"
PLANETOID_PARTS = ("x", "tx", "allx", "y", "ty", "ally", "graph", "test.index")


@dataclass(frozen=True)
class RemoteFile:
    """A file to fetch. An archive is unpacked: ``top`` is its folder, whose content becomes ``path``."""

    url: str
    path: str
    top: str | None = None

    @property
    def file_name(self) -> str:
        return self.url.rsplit("/", 1)[-1]


def _ogb(task: str, archive: str, folder: str) -> tuple[RemoteFile, ...]:
    return (RemoteFile(f"{OGB}/{task}/{archive}.zip", folder, top=archive),)


def _planetoid(name: str) -> tuple[RemoteFile, ...]:
    base = f"{GITHUB}/kimiyoung/planetoid/master/data"
    return tuple(RemoteFile(f"{base}/ind.{name}.{part}", f"planetoid/ind.{name}.{part}") for part in PLANETOID_PARTS)


def _heterophilous(name: str) -> tuple[RemoteFile, ...]:
    base = f"{GITHUB}/yandex-research/heterophilous-graphs/main/data"
    return (RemoteFile(f"{base}/{name}.npz", f"heterophilous/{name}.npz"),)


def _shchur(name: str) -> tuple[RemoteFile, ...]:
    base = f"{GITHUB}/shchur/gnn-benchmark/master/data/npz"
    return (RemoteFile(f"{base}/{name}.npz", f"amazon_coauthor/{name}.npz"),)


def _seal(name: str, folder: str = "Python") -> tuple[RemoteFile, ...]:
    return (RemoteFile(f"{GITHUB}/muhanzhang/SEAL/master/{folder}/data/{name}.mat", f"seal/{name}.mat"),)


REMOTE_SETS: dict[str, tuple[RemoteFile, ...]] = {
    "ogbn-arxiv": _ogb("nodeproppred", "arxiv", "ogbn_arxiv"),
    "ogbn-products": _ogb("nodeproppred", "products", "ogbn_products"),
    "ogbn-proteins": _ogb("nodeproppred", "proteins", "ogbn_proteins"),
    "ogbl-ppa": _ogb("linkproppred", "ppassoc", "ogbl_ppa"),
    "ogbl-ddi": _ogb("linkproppred", "ddi", "ogbl_ddi"),
    "ogbl-collab": _ogb("linkproppred", "collab", "ogbl_collab"),
    "ogbl-citation2": _ogb("linkproppred", "citation-v2", "ogbl_citation2"),
    "cora": _planetoid("cora"),
    "citeseer": _planetoid("citeseer"),
    "pubmed": _planetoid("pubmed"),
    "chameleon": _heterophilous("chameleon"),
    "squirrel": _heterophilous("squirrel"),
    "actor": _heterophilous("actor"),
    "minesweeper": _heterophilous("minesweeper"),
    "tolokers": _heterophilous("tolokers"),
    "roman-empire": _heterophilous("roman_empire"),
    "amazon-ratings": _heterophilous("amazon_ratings"),
    "questions": _heterophilous("questions"),
    "amazon-photo": _shchur("amazon_electronics_photo"),
    "amazon-computers": _shchur("amazon_electronics_computers"),
    "coauthor-cs": _shchur("ms_academic_cs"),
    "coauthor-physics": _shchur("ms_academic_phy"),
    "usair": _seal("USAir"),
    "celegans": _seal("Celegans"),
    "power": _seal("Power"),
    "router": _seal("Router"),
    "ecoli": _seal("Ecoli"),
    "ns": _seal("NS", "MATLAB"),
    "pb": _seal("PB", "MATLAB"),
    "yeast": _seal("Yeast", "MATLAB"),
}
