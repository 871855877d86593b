import pytest

from agdn.bench import rows
from agdn.bench.child import System
from agdn.bench.rounds import Effort, Measurement, Outcome
from agdn.bench.rows import Remainder, Section, rows_of

SYSTEMS = (
    System("ours", "", {}, ("go",), reference="theirs"),
    System("theirs", "", {}, ("go",), reference="theirs"),
    System("twice the work", "", {}, ("go",), reference="theirs", reference_factor=2),
    System("dense", "", {}, ("go",), units=30),
)
REST = Remainder("ours: the rest", "go", "ours", "dense", "theirs")


@pytest.fixture
def measured(monkeypatch: pytest.MonkeyPatch) -> dict[str, Measurement]:
    """Seconds 2, 10, 16 and 1; each peak is 100 bytes a second."""
    outcomes = {
        system.name: Measurement([seconds], 100 * seconds)
        for system, seconds in zip(SYSTEMS, (2, 10, 16, 1), strict=True)
    }

    def measure(systems, effort, say) -> Outcome:
        return Outcome({(system.name, "go"): outcomes[system.name] for system in systems}, {"ours": 1e-6})

    monkeypatch.setattr(rows, "measure", measure)
    return outcomes


def by_system(section: Section) -> dict[str, rows.Row]:
    return {row.system: row for row in rows_of(section, Effort(), lambda _: None)}


def test_ratios_say_how_many_times_faster(measured) -> None:
    table = by_system(Section("title", SYSTEMS, (REST,), hop_bytes=50))
    assert {name: row.ratio for name, row in table.items()} == {
        "ours": 5,
        "theirs": 1,
        "twice the work": 1.25,
        "dense": None,
        "ours: the rest": 10,
    }
    assert table["ours: the rest"].seconds == 1
    assert (table["ours"].buffers, table["ours"].difference) == (4, 1e-6)
    assert (table["ours"].rate, table["dense"].rate) == (None, 30)
    assert {"system", "phase", "seconds", "peak_bytes", "ratio"} <= table["ours"].as_dict().keys()


def test_out_of_memory_is_a_row_without_numbers(measured) -> None:
    measured["ours"].out_of_memory = True
    measured["theirs"].out_of_memory = True
    table = by_system(Section("title", SYSTEMS, (REST,)))
    for name in ("ours", "ours: the rest"):
        row = table[name]
        assert (row.status, row.seconds, row.peak_bytes, row.ratio) == ("out of memory", None, None, None)
    assert table["twice the work"].ratio is None  # nothing to compare with
    assert table["twice the work"].seconds == 16


def test_only_keeps_what_follows_from_the_systems_that_stay(measured) -> None:
    section = Section("title", SYSTEMS, (REST,))
    assert section.only(()) is section
    kept = section.only(["OURS", "dense"])
    assert [system.name for system in kept.systems] == ["ours", "dense"]
    assert kept.remainders == ()
    assert by_system(kept)["ours"].ratio is None
    assert section.only(["ours", "theirs", "dense"]).remainders == (REST,)
