"""Turns the engine's JSON schema into Python parameter classes.

    python -m cellway.scenario.generate_parameters            writes parameters_generated.py
    python -m cellway.scenario.generate_parameters --check    exits 1 when that file is stale

An algorithm's parameters are declared once, in its Rust file. Each becomes one class; each family one union, told
apart by `kind`. Fields whose schema has a unit `format` get the type that reads that unit. A new family is one line
in `FAMILIES`, also one that is a parameter of an algorithm.
"""

from __future__ import annotations

import argparse
import difflib
import json
import keyword
import re
import sys
import textwrap
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

FAMILIES: dict[str, tuple[str, str | None]] = {
    "traffic": ("Vc", "traffic"),
    "credit": ("Vc", "credit"),
    "schedule": ("Port", "schedule"),
    "discard": ("Port", "discard"),
    "impairment": ("Link", "impairments"),
    "police": ("Vc", "police"),
    "congestion": ("CongestionSpec", None),
    "rate": ("Port", "rate"),
    "uili": ("UiliSpec", None),
}
"""Each family with the definition and the field of the engine document where it is used; for a family within an
algorithm its own definition and no field."""

BLOCKS = ("Abr",)
"""Definitions of the engine document that scenarios have as they are."""

FORMATS = {
    "duration": "Duration",
    "bit-rate": "BitRate",
    "cell-rate": "CellRate",
    "cells": "Cells",
    "bytes": "Bytes",
    "fraction": "Fraction",
}
"""The type for each unit `format` of the schema."""

BASE_UNITS = {"Duration": "ps", "BitRate": "bit/s", "Cells": "cells", "Bytes": "B"}
"""Unit of the engine's integers."""

READABLE = {
    "Duration": (("s", 10**12), ("ms", 10**9), ("us", 10**6), ("ns", 10**3)),
    "BitRate": (("Gbit/s", 10**9), ("Mbit/s", 10**6)),
}
"""Larger units, to write defaults as people do."""

TARGET = Path(__file__).with_name("parameters_generated.py")

HEADER = '''"""Parameters of every algorithm, by family. Generated from the engine's schema; do not edit.

`python -m cellway.scenario.generate_parameters` writes this file; a test fails when it is stale.
"""

from __future__ import annotations

from typing import Annotated, ClassVar, Literal

from pydantic import Field, StrictBool, StrictInt

from cellway.scenario.blocks import Block, Family, Parameters
from cellway.scenario.quantities import BitRate, Bytes, CellRate, Cells, Duration, Fraction
'''


class SchemaError(ValueError):
    """The schema has a shape that the generator does not know; it needs a line here."""


@dataclass
class Generator:
    """Writes Python source for one schema."""

    schema: dict[str, Any]
    shared: dict[str, str] = field(default_factory=dict)
    """Source of classes and names that several parameters use, in order of dependence."""
    written: dict[str, dict[str, tuple[str, str]]] = field(default_factory=dict)
    """For each family the name and source of the class of each kind, in order of dependence."""

    def source(self) -> str:
        """The whole module."""
        for family in FAMILIES:
            self.family(family)
        bodies, tables, public = [], [], []
        for family, classes in self.written.items():
            names = [name for name, _ in classes.values()]
            public += names
            union = f'{class_name(family)} = Annotated[{" | ".join(names)}, Family("{family}")]'
            bodies += [text for _, text in classes.values()] + [union]
        bodies += [self.class_source(name, "Block", self.schema["$defs"][name], [], f"{name}.") for name in BLOCKS]
        public += BLOCKS
        for family in FAMILIES:
            row = ", ".join(f'"{kind}": {name}' for kind, (name, _) in self.written[family].items())
            tables.append(f'    "{family}": {{{row}}},')
        table = "\n".join(["FAMILIES: dict[str, dict[str, type[Parameters]]] = {", *tables, "}"])
        table += '\n"""Every algorithm by family and kind."""'
        exported = sorted([*public, *self.shared])
        table += "\n\n__all__ = [\n" + "".join(f'    "{name}",\n' for name in exported) + "]"
        return "\n\n".join([HEADER, *self.shared.values(), *bodies, table]) + "\n"

    def family(self, family: str) -> str:
        """Writes the classes of a family once; the name of its union."""
        if family not in self.written:
            variants = self.variants(self.family_definition(*FAMILIES[family]))
            classes = {kind: self.parameters(family, kind, variant) for kind, variant in variants.items()}
            self.written[family] = classes  # after the families within it
        return class_name(family)

    def family_definition(self, definition: str, name: str | None) -> dict[str, Any]:
        """The tagged union that a field holds, alone, optional, in a list or in a mapping."""
        node = self.schema["$defs"][definition]
        if name is not None:
            node = node["properties"][name]
        while "oneOf" not in node:
            for key in ("items", "additionalProperties"):
                if isinstance(node.get(key), dict):
                    node = node[key]
                    break
            else:
                if "anyOf" in node:
                    node = next(option for option in node["anyOf"] if option.get("type") != "null")
                else:
                    node = self.resolve(node)
        return dict(node)

    def family_of(self, node: dict[str, Any]) -> str | None:
        """The family whose tagged union `node` is, if it is one."""
        options = node.get("oneOf", [])
        if not options or not all("const" in option.get("properties", {}).get("kind", {}) for option in options):
            return None
        for family, place in FAMILIES.items():
            if self.family_definition(*place)["oneOf"] == options:
                return family
        raise SchemaError(f"a family that has no line in FAMILIES: {json.dumps(node)[:200]}")

    def resolve(self, node: dict[str, Any]) -> dict[str, Any]:
        """The node with its `$ref` followed; keywords beside the reference win."""
        if "$ref" not in node:
            raise SchemaError(f"neither a reference nor a known shape: {json.dumps(node)[:200]}")
        target = self.schema["$defs"][node["$ref"].removeprefix("#/$defs/")]
        beside = {key: value for key, value in node.items() if key != "$ref"}
        merged = target | beside
        if "properties" in target and "properties" in beside:
            merged["properties"] = beside["properties"] | target["properties"]
            merged["required"] = [*beside.get("required", []), *target.get("required", [])]
        return dict(merged)

    def variants(self, union: dict[str, Any]) -> dict[str, dict[str, Any]]:
        """The alternatives of a family by kind."""
        variants = {}
        for option in union["oneOf"]:
            variant = self.resolve(option) if "$ref" in option else option
            variants[variant["properties"]["kind"]["const"]] = variant
        return variants

    def parameters(self, family: str, kind: str, variant: dict[str, Any]) -> tuple[str, str]:
        """Name and source of the class of one algorithm."""
        name = class_name(kind) + class_name(family)
        head = [f'    family: ClassVar[str] = "{family}"', f'    kind: Literal["{kind}"] = "{kind}"']
        if variant.get("x-answers"):
            head.append("    answers: ClassVar[bool] = True")
        if quantities := variant.get("x-quantities"):
            listed = ", ".join(json.dumps(one) for one in quantities)
            head.append(f"    quantities: ClassVar[tuple[str, ...]] = ({listed},)")
        return name, self.class_source(name, "Parameters", variant, head, f"The `{kind}` {family}.")

    def class_source(self, name: str, base: str, node: dict[str, Any], head: list[str], fallback: str) -> str:
        """Source of a class with the properties of `node`."""
        lines = [f"class {name}({base}):", docstring(node.get("description") or fallback, 4), ""]
        lines += [*head, ""] if head else []
        for key, prop in node.get("properties", {}).items():
            if key != "kind":
                lines += self.field(key, prop, required=key in node.get("required", []))
        return "\n".join(lines).rstrip() + "\n"

    def field(self, key: str, prop: dict[str, Any], *, required: bool) -> list[str]:
        """Lines of one field: annotation, default, description."""
        kind, nullable = self.type_of(prop)
        annotation = f"{kind} | None" if nullable else kind
        name, options = (f"{key}_", [f'alias="{key}"']) if keyword.iskeyword(key) else (key, [])
        for keyword_name, limit in (
            ("minimum", "ge"),
            ("maximum", "le"),
            ("exclusiveMinimum", "gt"),
            ("exclusiveMaximum", "lt"),
        ):
            if keyword_name in prop and kind in ("StrictInt", "float"):
                options.append(f"{limit}={prop[keyword_name]!r}")
        if prop.get("minItems") and kind.startswith("list["):
            options.append(f"min_length={prop['minItems']}")
        value = prop.get("default")
        default = None if required else self.default(kind, value)
        if isinstance(value, dict) and default:  # an object of its own for each
            options.insert(0, f"default_factory={default}")
            default = None
        if options:
            if default is not None:
                options.insert(0, f"default={default}")
            value = f" = Field({', '.join(options)})"
        else:
            value = "" if default is None else f" = {default}"
        lines = [f"    {name}: {annotation}{value}"]
        if prop.get("description"):
            lines.append(docstring(prop["description"], 4))
        return lines

    def type_of(self, prop: dict[str, Any]) -> tuple[str, bool]:
        """Python type of a property, and whether it may be null."""
        if "anyOf" in prop:
            options = [option for option in prop["anyOf"] if option.get("type") != "null"]
            if len(options) != 1:
                raise SchemaError(f"a union of several types: {json.dumps(prop)[:200]}")
            return self.type_of(options[0])[0], len(options) < len(prop["anyOf"])
        types = prop.get("type", [])
        types = [types] if isinstance(types, str) else list(types)
        nullable = "null" in types
        types = [one for one in types if one != "null"]
        unit = prop.get("format", "")
        if unit in FORMATS:
            return FORMATS[unit], nullable
        if "$ref" in prop:
            return self.reference(prop["$ref"].removeprefix("#/$defs/")), nullable
        if "enum" in prop or "const" in prop:
            return literal(prop.get("enum") or [prop["const"]]), nullable
        if types == ["array"] and isinstance(prop.get("items"), dict):
            return f"list[{self.type_of(prop['items'])[0]}]", nullable
        if types == ["array"] and "prefixItems" in prop:
            return f"tuple[{', '.join(self.type_of(item)[0] for item in prop['prefixItems'])}]", nullable
        simple = {"integer": "StrictInt", "number": "float", "boolean": "StrictBool", "string": "str"}
        if len(types) == 1 and types[0] in simple and (not unit or re.fullmatch(r"u?int\d*|float|double", unit)):
            return simple[types[0]], nullable
        raise SchemaError(f"no Python type for {json.dumps(prop)[:200]}")

    def reference(self, name: str) -> str:
        """Type of a shared definition; its source is written once."""
        node = self.schema["$defs"][name]
        if family := self.family_of(node):
            return self.family(family)
        if "properties" in node:
            if name not in self.shared:
                source = self.class_source(name, "Block", node, [], f"{name}.")
                self.shared[name] = source
            return name
        if "oneOf" in node and all("const" in option for option in node["oneOf"]):
            return literal([option["const"] for option in node["oneOf"]])
        return self.type_of(node)[0]

    def default(self, kind: str, value: Any) -> str:
        """Source of a default."""
        if value is None:
            return "None"
        if kind == "Fraction":
            return f'Fraction("{value}")'
        if kind == "CellRate":
            return f'CellRate("{value[0]}/{value[1]} cells/s")'
        if kind in BASE_UNITS:
            for unit, size in READABLE.get(kind, ()):
                if value >= size and value * 1000 % size == 0:
                    return f'{kind}("{value / size:g} {unit}")'
            return f'{kind}("{value} {"s" if kind == "Duration" and not value else BASE_UNITS[kind]}")'
        if isinstance(value, (bool, int, float, str)):
            return json.dumps(value) if isinstance(value, str) else repr(value)
        if value == []:
            return "[]"
        if isinstance(value, dict) and "kind" in value:
            family = next((name for name in self.written if class_name(name) == kind), "")
            name, _ = self.written.get(family, {}).get(value["kind"], ("", ""))
            variant = self.variants(self.family_definition(*FAMILIES[family]))[value["kind"]] if name else {}
            own = {key: prop.get("default") for key, prop in variant.get("properties", {}).items()}
            if name and all(key == "kind" or own[key] == one for key, one in value.items()):
                return name
        raise SchemaError(f"no Python source for the default {value!r} of type {kind}")


def class_name(name: str) -> str:
    """`on_off` as `OnOff`."""
    return "".join(part[:1].upper() + part[1:] for part in name.split("_"))


def literal(values: list[str]) -> str:
    """A `Literal` of texts."""
    return f"Literal[{', '.join(json.dumps(value) for value in values)}]"


def docstring(text: str, indent: int) -> str:
    """An indented docstring, wrapped to the line length."""
    pad = " " * indent
    text = text.strip().replace("\\", "\\\\").replace('"""', "'''")
    paragraphs = [" ".join(part.split()) for part in re.split(r"\n\s*\n", text)]
    wrapped = [textwrap.wrap(part, 120 - indent - 6) for part in paragraphs]
    lines = wrapped[0]
    for more in wrapped[1:]:
        lines += ["", *more]
    body = "\n".join(pad + line if line else "" for line in lines).lstrip()
    return f'{pad}"""{body}"""' if len(lines) == 1 else f'{pad}"""{body}\n{pad}"""'


def main(arguments: list[str] | None = None) -> int:
    """Writes or checks the generated file; the exit status."""
    parser = argparse.ArgumentParser(description="Generate the parameter classes from the engine's schema.")
    parser.add_argument("--check", action="store_true", help="only compare; exit 1 when the file is stale")
    parser.add_argument("--schema", type=Path, help="read the schema from this file instead of the engine")
    options = parser.parse_args(arguments)
    if options.schema is None:
        from cellway import _engine

        text = _engine.schema()
    else:
        text = options.schema.read_text(encoding="utf-8")
    source = Generator(json.loads(text)).source()
    if not options.check:
        TARGET.write_text(source, encoding="utf-8")
        return 0
    present = TARGET.read_text(encoding="utf-8") if TARGET.exists() else ""
    stale = list(
        difflib.unified_diff(present.splitlines(), source.splitlines(), TARGET.name, "engine's schema", lineterm="")
    )
    print("\n".join(stale[:60]), file=sys.stderr) if stale else None
    return 1 if stale else 0


if __name__ == "__main__":
    sys.exit(main())
