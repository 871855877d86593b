"""The command line, thin: parse, call the room, print. One module a command group, imported when it is called."""

from __future__ import annotations

import importlib
import os
import sys

import click

COMMANDS: dict[str, tuple[str, str]] = {
    "bench": ("agdn.cli.bench", "bench"),
    "card": ("agdn.cli.card", "card"),
    "data": ("agdn.cli.data", "data"),
    "doctor": ("agdn.cli.doctor", "doctor"),
    "embed": ("agdn.cli.embed", "embed"),
    "evaluate": ("agdn.cli.evaluate", "evaluate"),
    "explain": ("agdn.cli.explain", "explain"),
    "export": ("agdn.cli.export", "export"),
    "list": ("agdn.cli.list", "list_command"),
    "predict": ("agdn.cli.predict", "predict"),
    "report": ("agdn.cli.report", "report"),
    "study": ("agdn.cli.study", "study"),
    "train": ("agdn.cli.train", "train"),
    "tune": ("agdn.cli.tune", "tune"),
}


class LazyGroup(click.Group):
    """A group whose commands live in modules that are imported only when they are used."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        return sorted(COMMANDS)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        if cmd_name not in COMMANDS:
            return None
        module, attribute = COMMANDS[cmd_name]
        command: click.Command = getattr(importlib.import_module(module), attribute)
        return command


@click.group(cls=LazyGroup, context_settings={"help_option_names": ["-h", "--help"]})
@click.version_option(package_name="agdn")
def cli() -> None:
    """Adaptive graph diffusion networks."""


def main() -> None:
    """Run the command line; what a user got wrong is one sentence on stderr and exit code 2."""
    try:
        if os.environ.get("AGDN_IMPORT"):
            from agdn.experiments.own_parts import import_own_parts

            import_own_parts()
        cli(standalone_mode=False)
    except click.Abort:
        sys.exit(130)
    except click.ClickException as error:
        error.show()
        sys.exit(2)
    except ValueError as error:
        click.echo(f"agdn: {error}", err=True)
        sys.exit(2)
    except OSError as error:
        click.echo(f"agdn: {error.filename or 'a file'} cannot be used: {error.strerror or error}", err=True)
        sys.exit(2)
