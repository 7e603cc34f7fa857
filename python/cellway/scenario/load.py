"""Scenarios from files, texts and plain values, and back to YAML."""

from __future__ import annotations

import copy
import io
from collections.abc import Iterable, Mapping
from pathlib import Path as FilePath
from typing import Any

from pydantic import ValidationError
from ruamel.yaml import YAML

from cellway.scenario import yaml_source
from cellway.scenario.diagnosis import scenario_error
from cellway.scenario.errors import ScenarioError, show_value
from cellway.scenario.lower import lower
from cellway.scenario.model import Scenario
from cellway.scenario.overrides import Override, apply, parse_override, parse_path
from cellway.scenario.yaml_source import Source

_NULL = "tag:yaml.org,2002:null"

Overrides = Iterable[str | Override] | Mapping[str, Any]
"""Values to change: texts `PATH=VALUE`, or a mapping of path to value."""


def load(path: str | FilePath, overrides: Overrides = ()) -> Scenario:
    """The scenario in a YAML file, with single values changed by `overrides`.

    Everything that Python can check is checked: keys, units, names, routes. Raises `ScenarioError`, which names the
    file, the line and the path of each fault.
    """
    return _build(yaml_source.read(path), overrides)


def loads(text: str, file: str = "<text>", overrides: Overrides = ()) -> Scenario:
    """The scenario in a YAML text; as [`load`][cellway.scenario.load.load]."""
    return _build(yaml_source.parse(text, file), overrides)


def from_dict(data: Mapping[str, Any], overrides: Overrides = ()) -> Scenario:
    """The scenario in plain values (as from JSON); as [`load`][cellway.scenario.load.load], without lines."""
    if not isinstance(data, Mapping):
        raise ScenarioError(Source().problem((), "a scenario is a mapping of keys to values", show_value(data)))
    return _build(Source(tree=copy.deepcopy(dict(data))), overrides)


def with_values(scenario: Scenario, values: Overrides) -> Scenario:
    """A copy of a scenario with single values changed, for sweeps: `{"vcs.vc1.credit.n3": "51 cells"}`.

    Raises `ScenarioError` for a path that does not exist or a value that does not fit there.
    """
    old = scenario.source
    return _build(Source(old.file, scenario.to_data(), dict(old.lines), dict(old.overrides)), values)


def to_yaml(scenario: Scenario) -> str:
    """The scenario as YAML that loads to an equal one. Ranges and units stay as they were written."""
    yaml = YAML()
    yaml.default_flow_style = None
    yaml.width = 120
    yaml.indent(mapping=2, sequence=4, offset=2)
    stream = io.StringIO()
    yaml.representer.add_representer(type(None), lambda representer, _: representer.represent_scalar(_NULL, "null"))
    data = scenario.to_data()
    if not any(data["hosts"].values()):
        data["hosts"] = list(data["hosts"])
    yaml.dump(data, stream)
    return stream.getvalue()


def _build(source: Source, overrides: Overrides) -> Scenario:
    apply(source, _overrides(overrides))
    if "cellway" not in source.tree:
        message, allowed = "required, but missing", "`cellway: 1`, the version of the scenario language"
        raise ScenarioError(source.problem(("cellway",), message, "", allowed))
    try:
        scenario = Scenario.model_validate(source.tree)
    except ValidationError as error:
        raise scenario_error(error, source, Scenario) from None
    scenario._source = source
    lower(scenario)
    return scenario


def _overrides(overrides: Overrides) -> list[Override]:
    if isinstance(overrides, Mapping):
        return [
            Override(parse_path(path, f"--set {path}"), value, f"{path}={value}") for path, value in overrides.items()
        ]
    return [one if isinstance(one, Override) else parse_override(one) for one in overrides]
