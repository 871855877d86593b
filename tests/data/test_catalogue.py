"""Names, spellings and places."""

from pathlib import Path

import pytest

from agdn.data.catalogue import EMBEDDED, PLACES, canonical, locate, source_files
from agdn.data.errors import DataError
from agdn.data.names import READERS
from agdn.data.readers.ogb import OGB_SETS


@pytest.mark.parametrize(
    ("asked", "known"),
    [
        ("Cora", "cora"),
        ("OGBN-arxiv", "ogbn-arxiv"),
        ("ogbl_ddi", "ogbl-ddi"),
        (" Digits", "digits"),
    ],
)
def test_spellings(asked: str, known: str) -> None:
    assert canonical(asked) == known


def test_a_misspelt_name_gets_close_matches() -> None:
    with pytest.raises(DataError, match=r"no data set named 'ogbn-arxvi'; did you mean ogbn-arxiv"):
        canonical("ogbn-arxvi")
    with pytest.raises(DataError, match=r"known names: actor, .*cora"):
        canonical("zzzzzz")


def test_every_place_has_a_reader() -> None:
    assert not set(PLACES) & set(EMBEDDED)
    for name, places in PLACES.items():
        assert places
        for place in places:
            assert place.format in READERS
            assert place.format != "ogb" or name in OGB_SETS


@pytest.mark.parametrize(
    ("name", "file"),
    [
        ("cora", "planetoid/ind.cora.x"),
        ("cora", "Cora/raw/ind.cora.x"),
        ("pubmed", "ind.pubmed.x"),
        ("ogbn-arxiv", "ogbn_arxiv/raw/edge.csv.gz"),
        ("ogbn-arxiv", "dataset/ogbn_arxiv/raw/edge.csv.gz"),
        ("ogbn-products", "products/raw/edge.csv.gz"),
        ("ogbn-papers100M", "ogbn_papers100M/raw/data.npz"),
        ("amazon-photo", "Amazon/Photo/raw/amazon_electronics_photo.npz"),
        ("amazon-photo", "Photo/raw/amazon_electronics_photo.npz"),
        ("coauthor-physics", "Physics/raw/ms_academic_phy.npz"),
        ("minesweeper", "minesweeper/raw/minesweeper.npz"),
        ("roman-empire", "roman_empire/raw/roman_empire.npz"),
        ("chameleon", "chameleon/geom_gcn/raw/out1_graph_edges.txt"),
        ("actor", "Actor/raw/out1_graph_edges.txt"),
        ("usair", "seal/USAir.mat"),
        ("yeast", "Yeast.mat"),
    ],
)
def test_the_layouts_that_others_leave_are_found(tmp_path: Path, name: str, file: str) -> None:
    path = tmp_path / file
    path.parent.mkdir(parents=True, exist_ok=True)
    path.touch()
    place = locate(name, tmp_path)
    assert path in source_files(place, tmp_path, name)


def test_what_is_not_found_is_told_where_to_go(tmp_path: Path) -> None:
    with pytest.raises(DataError, match=r"cora was not found in .*planetoid/ind.cora.x, Cora/raw/ind.cora.x") as caught:
        locate("cora", tmp_path)
    assert "put the eight files ind.cora.* into planetoid/" in str(caught.value)
    with pytest.raises(DataError, match=r"put the file seal/Yeast.mat there"):
        locate("yeast", tmp_path)
    with pytest.raises(DataError, match="put the unpacked OGB folder as ogbn_products/ there"):
        locate("ogbn-products", tmp_path)
