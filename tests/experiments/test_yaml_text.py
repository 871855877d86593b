from pathlib import Path

import pytest

from agdn.experiments import yaml_text


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("5", 5),
        ("1e-3", 1e-3),
        ("5e-4", 5e-4),
        ("-.5", -0.5),
        ("1.", 1.0),
        ("true", True),
        ("null", None),
        ("0.6", 0.6),
        ("1-10", "1-10"),
        ("2020-01-01", "2020-01-01"),
        ("[1, 2e-2]", [1, 2e-2]),
        ("{name: HA, query_hop: 1}", {"name": "HA", "query_hop": 1}),
        ("e-3", "e-3"),
    ],
)
def test_values_as_people_mean_them(text: str, value: object) -> None:
    parsed = yaml_text.parse(text, "a value")
    assert parsed == value
    assert type(parsed) is type(value)


def test_a_key_twice_is_refused() -> None:
    with pytest.raises(ValueError, match="recipe, line 2 is not YAML: the key 'a' stands twice"):
        yaml_text.parse("a: 1\na: 2\n", "recipe")


@pytest.mark.parametrize(
    "text", ["a: [1", "!!python/object/apply:os.system ['true']", "a: *nothing", "\0", "- [" * 5000]
)
def test_what_is_no_plain_yaml_is_one_sentence(text: str) -> None:
    with pytest.raises(ValueError, match=r"recipe.* is not YAML"):
        yaml_text.parse(text, "recipe")


def test_a_binary_file_is_named(tmp_path: Path) -> None:
    (tmp_path / "a.yaml").write_bytes(b"\xff\xfe\x00")
    with pytest.raises(ValueError, match=r"a\.yaml is not a text file"):
        yaml_text.read(tmp_path / "a.yaml")


def test_what_is_written_is_read_back() -> None:
    content = {"name": "x", "list": [1, 2.5e-7, None], "deep": {"b": True, "s": "1e-3"}}
    assert yaml_text.parse(yaml_text.write(content), "written") == content
