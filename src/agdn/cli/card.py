"""``agdn card``: what there is to know about a trained model, as Markdown."""

from __future__ import annotations

from pathlib import Path

import click


@click.command()
@click.argument("folder", type=click.Path(path_type=Path), metavar="RUN")
@click.option("--out", type=click.Path(path_type=Path, dir_okay=False), help="A .md file; by default it is printed.")
def card(folder: Path, out: Path | None) -> None:
    """Write the model card of RUN, a run folder or the folder of several seeds, from what the folder holds."""
    from agdn.data.atomic import write_bytes
    from agdn.experiments.card import model_card

    text = model_card(folder)
    if out is None:
        click.echo(text, nl=False)
        return
    if not out.parent.is_dir():
        raise ValueError(f"the folder {out.parent} does not exist; a model card goes into one that does")
    write_bytes(out, text.encode())
    click.echo(str(out))
