from agdn.models import RevGAT


def test_it_attends_to_one_hop_alone() -> None:
    model = RevGAT(5, 6, 3, heads=2)
    for conv in (model.first, model.output, model.blocks.blocks[0][1].conv):
        assert (conv.hops, conv.used_hops) == (1, (1,))
        assert conv.residual is not None
    assert model.out_bias is not None
