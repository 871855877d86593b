"""YAML as people write it, and nothing more: no tags that make objects, no key twice, ``1e-3`` is a number."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import yaml

FLOAT = re.compile(r"[-+]?(\d[\d_]*\.?[\d_]*|\.\d[\d_]*)([eE][-+]?\d+)?$|[-+]?\.(inf|Inf|INF)$|\.(nan|NaN|NAN)$")


class PlainLoader(yaml.SafeLoader):
    """Safe YAML with every number form, without dates, and strict about repeated keys."""

    def construct_mapping(self, node: yaml.MappingNode, deep: bool = False) -> dict[Any, Any]:
        seen: set[str] = set()
        for key, _ in node.value:
            if key.value in seen:
                raise yaml.MarkedYAMLError(problem=f"the key {key.value!r} stands twice", problem_mark=key.start_mark)
            if isinstance(key.value, str):
                seen.add(key.value)
        return super().construct_mapping(node, deep)


PlainLoader.yaml_implicit_resolvers = {
    first: [(tag, pattern) for tag, pattern in resolvers if tag.rsplit(":", 1)[-1] not in ("timestamp", "float")]
    for first, resolvers in yaml.SafeLoader.yaml_implicit_resolvers.items()
}
PlainLoader.add_implicit_resolver("tag:yaml.org,2002:float", FLOAT, list("-+0123456789."))


class PlainDumper(yaml.SafeDumper):
    """Quotes what the loader would not take for text."""


PlainDumper.yaml_implicit_resolvers = PlainLoader.yaml_implicit_resolvers


def parse(text: str, name: str) -> Any:
    """The content of a YAML text; ``name`` is what an error calls it."""
    try:
        loader = PlainLoader(text)
        try:
            return loader.get_single_data()
        finally:
            loader.dispose()
    except yaml.MarkedYAMLError as error:
        place = f", line {error.problem_mark.line + 1}" if error.problem_mark else ""
        raise ValueError(f"{name}{place} is not YAML: {error.problem or error.context}") from None
    except (yaml.YAMLError, ValueError, RecursionError) as error:
        raise ValueError(f"{name} is not YAML: {str(error).splitlines()[0]}") from None


def read(path: Path) -> Any:
    """The content of a YAML file."""
    try:
        return parse(path.read_text(encoding="utf-8"), str(path))
    except UnicodeDecodeError:
        raise ValueError(f"{path} is not a text file; a recipe is YAML in UTF-8") from None


def write(content: Any) -> str:
    """Keys in the order given, one a line."""
    text: str = yaml.dump(
        content, Dumper=PlainDumper, sort_keys=False, allow_unicode=True, default_flow_style=None, width=100
    )
    return text
