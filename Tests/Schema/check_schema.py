#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Compares manifests/bgrun-manifest-1.schema.json with the cases of the manifest reader.

Every valid case must satisfy the schema. An invalid case must violate it, unless every problem of
its .expected file is of a kind that only the reader can detect.
"""
import pathlib
import re
import json
import sys

import jsonschema
import yaml

ROOT = pathlib.Path(__file__).resolve().parents[2]
CASES = ROOT / "Tests/BGRunManifestTests/Cases"

# These need more than the tree: the text of the file, other files, or relations between values.
READER_ONLY = {
    "syntax", "several-documents", "too-deep", "too-many-values", "unknown-alias", "cyclic-alias",
    "duplicate-key", "key-not-text", "unknown-tag", "bad-merge",
    "not-permitted", "missing-mode", "unknown-plugin", "unknown-shipped-plugin", "missing-file",
    "bad-path", "wildcard-launch", "processing-only", "grace-over-maximum",
    "too-many-at-launch", "every-under-spacing", "from-over-to",
    "no-json-form", "nul-character", "ambiguous-value", "unknown-name", "duplicate-name",
    "bad-call", "bad-socket", "continued-schedule", "continued-only", "unknown-task",
    "useless-key", "plain-address", "not-private", "bad-header",
    "unknown-handler", "unknown-parameter", "bad-parameter",
}
# The schema checks the form of quantities, but not the range of each.
SOMETIMES_READER_ONLY = {"out-of-range"}


class CoreLoader(yaml.SafeLoader):
    """YAML 1.2 core schema: `yes` and `12:30` are text."""


CoreLoader.yaml_implicit_resolvers = {}
for tag, pattern, first in [
    ("null", r"^(?:~|null|Null|NULL|)$", ["~", "n", "N", ""]),
    ("bool", r"^(?:true|True|TRUE|false|False|FALSE)$", list("tTfF")),
    ("int", r"^(?:[-+]?[0-9]+|0o[0-7]+|0x[0-9a-fA-F]+)$", list("-+0123456789")),
    (
        "float",
        r"^(?:[-+]?(?:\.[0-9]+|[0-9]+(?:\.[0-9]*)?)(?:[eE][-+]?[0-9]+)?"
        r"|[-+]?\.(?:inf|Inf|INF)|\.(?:nan|NaN|NAN))$",
        list("-+0123456789."),
    ),
    ("merge", r"^<<$", ["<"]),
]:
    CoreLoader.add_implicit_resolver(f"tag:yaml.org,2002:{tag}", re.compile(pattern), first)


def integer(loader, node):
    text = loader.construct_scalar(node)
    return int(text, {"0x": 16, "0o": 8}.get(text[:2], 10))


CoreLoader.add_constructor("tag:yaml.org,2002:int", integer)


def violations(validator, path):
    try:
        tree = yaml.load(path.read_text(encoding="utf-8"), CoreLoader)
    except yaml.YAMLError as error:
        return [jsonschema.ValidationError(str(error))]
    return list(validator.iter_errors(tree))


def main():
    schema = json.loads((ROOT / "manifests/bgrun-manifest-1.schema.json").read_text())
    jsonschema.Draft202012Validator.check_schema(schema)
    validator = jsonschema.Draft202012Validator(schema)
    failures = []
    for path in sorted(CASES.glob("valid/*.yaml")):
        for error in violations(validator, path):
            failures.append(f"{path.name}: refused: {error.json_path}: {error.message}")
    checked = 0
    for path in sorted(CASES.glob("invalid/*.yaml")):
        expected = path.with_suffix(".expected").read_text()
        codes = set(re.findall(r": error: .*\[([a-z0-9-]+)\]$", expected, re.MULTILINE))
        visible = codes - READER_ONLY
        if not visible or visible <= SOMETIMES_READER_ONLY:
            continue
        checked += 1
        if not violations(validator, path):
            failures.append(f"{path.name}: accepted in spite of {', '.join(sorted(visible))}")
    if checked < 20:
        failures.append(f"only {checked} invalid cases were checked")
    print("\n".join(failures) or f"The schema agrees with the reader on {checked} invalid cases.")
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
