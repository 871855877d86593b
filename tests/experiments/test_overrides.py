import pytest

from agdn.experiments.overrides import merged, parsed, with_overrides

RECIPE = {"data": {"name": "digits", "self_loops": "add"}, "model": {"name": "AGDN", "hops": 3, "transition": "gat"}}


def test_a_value_is_set_where_its_path_leads() -> None:
    assert with_overrides(RECIPE, ["model.hops=5"])["model"] == {"name": "AGDN", "hops": 5, "transition": "gat"}
    assert with_overrides(RECIPE, ["training.optimizer.lr=1e-3"])["training"] == {"optimizer": {"lr": 1e-3}}


def test_a_bare_name_opens_up_for_its_options() -> None:
    changed = with_overrides(RECIPE, ["model.transition.target_query=false"])
    assert changed["model"]["transition"] == {"name": "gat", "target_query": False}
    links = {"link": {"negatives": "strict", "decoder": {"name": "mlp", "num_layers": 3}}}
    changed = with_overrides(links, ["link.negatives.fixed=true", "link.decoder=dot"])
    assert changed["link"] == {"negatives": {"name": "strict", "fixed": True}, "decoder": {"name": "dot"}}


def test_another_name_drops_the_old_options_of_a_model_but_not_of_the_data() -> None:
    assert with_overrides(RECIPE, ["model={name: GCN, hidden_channels: 4}"])["model"] == {
        "name": "GCN",
        "hidden_channels": 4,
    }
    assert with_overrides(RECIPE, ["data.name=cora"])["data"] == {"name": "cora", "self_loops": "add"}
    generated = with_overrides(RECIPE, ["data.options={neighbours: 3}"])
    assert with_overrides(generated, ["data.name=cora"])["data"] == {"name": "cora", "self_loops": "add"}
    assert with_overrides(generated, ["data.self_loops=keep"])["data"]["options"] == {"neighbours": 3}


def test_later_changes_win_and_the_recipe_stays_as_it_was() -> None:
    assert with_overrides(RECIPE, ["model.hops=5", "model.hops=7"])["model"]["hops"] == 7
    assert RECIPE["model"]["hops"] == 3


def test_a_value_may_hold_an_equals_sign() -> None:
    assert parsed("description=a=b") == {"description": "a=b"}


@pytest.mark.parametrize("assignment", ["model.hops", "=5", "model..hops=5", ""])
def test_what_is_no_assignment_is_one_sentence(assignment: str) -> None:
    with pytest.raises(ValueError, match=r"is not of the form key\.path=value"):
        parsed(assignment)


def test_a_section_may_replace_a_value() -> None:
    assert merged({"a": 1}, {"a": {"b": 2}}) == {"a": {"b": 2}}
    assert merged({"a": {"b": 2}}, {"a": None}) == {"a": None}
