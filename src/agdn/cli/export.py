"""``agdn export``: a trained model as a file that runs without this library."""

from __future__ import annotations

from pathlib import Path

import click

from agdn.cli.options import JSON
from agdn.cli.printing import print_json


@click.command()
@click.argument("folder", type=click.Path(path_type=Path), metavar="RUN")
@click.option("--out", type=click.Path(path_type=Path), required=True, help="A .pt2 or .onnx file.")
@click.option("--format", "form", type=click.Choice(["pt2", "onnx"]), help="By default what --out ends in.")
@JSON
def export(folder: Path, out: Path, form: str | None, as_json: bool) -> None:
    """Write the model of RUN as a torch.export program or as ONNX, for graphs of any size.

    The file is compared with the model on graphs of other sizes first; where they differ, nothing is written.
    """
    from agdn.experiments.exporting import chosen_format
    from agdn.experiments.exporting import export as write_model
    from agdn.experiments.load import load_nodes

    chosen_format(out, form)
    written = write_model(load_nodes(folder, "export"), out, form)
    if as_json:
        told = {"format": written.format, "difference": written.difference}
        print_json({"file": str(out), **written.description, **told})
        return
    click.echo(f"{out}: differs by at most {written.difference:.1g} from the model on graphs of other sizes")
    for name, role in written.description["inputs"].items():
        click.echo(f"input {name}: {role}")
    for step in written.description["done_inside"]:
        click.echo(f"done inside: {step}")
    click.echo(f"output: {written.description['output']}")
