"""The options of every ``agdn`` command, as click knows them."""

from __future__ import annotations

from collections.abc import Iterator

import click

from agdn.cli import cli
from options_page.docstrings import plain
from options_page.tables import REQUIRED, Option, Table, shown_default


def command_tables() -> list[Table]:
    """A table a command, in the order of the alphabet."""
    return list(_tables(cli, click.Context(cli, info_name="agdn")))


def _tables(group: click.Group, context: click.Context) -> Iterator[Table]:
    for name in group.list_commands(context):
        command = group.get_command(context, name)
        assert command is not None
        own = click.Context(command, parent=context, info_name=name)
        if isinstance(command, click.Group):
            yield from _tables(command, own)
        else:
            yield _table(command, own)


def _table(command: click.Command, context: click.Context) -> Table:
    arguments = [
        parameter.make_metavar(context) for parameter in command.params if isinstance(parameter, click.Argument)
    ]
    options = [parameter for parameter in command.params if isinstance(parameter, click.Option)]
    usage = " ".join([context.command_path, *arguments])
    text = plain(" ".join((command.help or "").split()))
    return Table(f"`{usage}`", text, tuple(_option(option, context) for option in options), 3)


def _option(option: click.Option, context: click.Context) -> Option:
    names = ", ".join((*option.opts, *option.secondary_opts))
    repeated = " May be repeated." if option.multiple and "repeatable" not in str(option.help) else ""
    return Option(names, _value(option), _default(option, context), f"{option.help or ''}{repeated}")


def _value(option: click.Option) -> str:
    if option.is_flag:
        return "a switch"
    if isinstance(option.type, click.Choice):
        return ", ".join(f"`{choice}`" for choice in option.type.choices)
    if isinstance(option.type, click.Path):
        return "path"
    word = option.metavar or option.type.name.removesuffix(" range").replace("float", "number")
    if isinstance(option.type, (click.IntRange, click.FloatRange)) and option.type.min is not None:
        return f"{word} {'>' if option.type.min_open else '≥'} {option.type.min}"
    return word


def _default(option: click.Option, context: click.Context) -> str:
    value = option.get_default(context, call=False)
    if option.required:
        return shown_default(REQUIRED)
    if option.is_flag and not option.secondary_opts:
        return "off"
    return shown_default(value) if isinstance(value, (bool, int, float, str)) else ""
