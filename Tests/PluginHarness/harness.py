# SPDX-License-Identifier: Apache-2.0
"""Shared by the plugin tests: rules (tests whose name is a sentence) and runs of the harness."""

import json
import os
import pathlib
import subprocess
import sys
import tempfile
import traceback

ROOT = pathlib.Path(__file__).resolve().parents[2]
OUT = pathlib.Path(os.environ.get("OUT", ROOT / ".build/plugins")).resolve()
HARNESS = OUT / "plugin-harness"
# A hung plugin must fail its test instead of the whole run; no test relies on its length.
LIMIT_SECONDS = 120

_rules = []


def rule(sentence):
    """Registers a test. It is called with a fresh empty directory."""

    def register(body):
        _rules.append((sentence, body))
        return body

    return register


class Run:
    """One run of the harness: its exit status and its report, line by line."""

    def __init__(self, status, lines):
        self.status = status
        self.lines = lines

    def of(self, word):
        """The lines that start with `word`, without it."""
        return [line[len(word) + 1:] for line in self.lines if line.split(" ")[0] == word]

    @property
    def message(self):
        ends = self.of("complete")
        assert len(ends) == 1, f"expected one completion: {self}"
        return ends[0].split(" ", 1)[1]

    def __str__(self):
        return f"status {self.status}\n  " + "\n  ".join(self.lines)


def run(library, handler, parameters=None, *, directory="/", checkpoint=None, on=(), runs=1,
        environment=None, raw=False, ended=(), pushes=()):
    """Runs a handler; `library` is a path, or the name of a plugin of this project."""
    path = library if "/" in str(library) else OUT / f"libbgrun-{library}.so"
    words = [HARNESS, "-d", directory, "-n", str(runs)]
    if parameters is not None:
        text = parameters if isinstance(parameters, str) else json.dumps(parameters)
        words += ["-p", text]
    if checkpoint is not None:
        words += ["-c", checkpoint]
    for trigger in on:
        words += ["-o", trigger]
    for transfer in ended:
        words += ["-t", transfer]
    for payload in pushes:
        words += ["-m", json.dumps(payload)]
    if raw:
        words.append("-r")
    done = subprocess.run(
        [str(word) for word in [*words, path, handler]], stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE, stderr=subprocess.STDOUT, timeout=LIMIT_SECONDS,
        env={**os.environ, **(environment or {})})
    lines = done.stdout.decode("utf-8", "backslashreplace").splitlines()
    return Run(done.returncode, lines)


def clean(result, status):
    """Expects an exit status, one completion, and no leftovers."""
    assert result.status == status, f"expected status {status}: {result}"
    assert len(result.of("complete")) == 1, f"expected one completion: {result}"
    assert not result.of("left") and not result.of("late"), f"something was left: {result}"
    return result


def succeeds(*words, **named):
    return clean(run(*words, **named), 0)


def fails(*words, **named):
    return clean(run(*words, **named), 1)


def expires(*words, **named):
    return clean(run(*words, **named), 2)


def equal(left, right, about=""):
    assert left == right, f"{left!r} is not {right!r} {about}"


def contains(text, part):
    assert part in text, f"{part!r} is not in {text!r}"


def exports_its_entry_only(name):
    """Adds the rule for the library of every plugin."""

    @rule("the library exports its entry and nothing else")
    def _(_directory):
        library = OUT / f"libbgrun-{name}.so"
        listed = subprocess.check_output(["nm", "-D", "--defined-only", library], text=True)
        equal([line.split()[-1] for line in listed.splitlines()], ["bgrun_plugin_entry"])


def main():
    """Runs every rule, or only rules whose sentence contains the first argument."""
    wanted = sys.argv[1] if len(sys.argv) > 1 else ""
    chosen = [one for one in _rules if wanted in one[0]]
    failures = 0
    for sentence, body in chosen:
        with tempfile.TemporaryDirectory(prefix="bgrun-test-") as directory:
            try:
                body(pathlib.Path(directory))
                print(f"ok      {sentence}")
            except Exception as error:
                failures += 1
                print(f"FAILED  {sentence}\n{traceback.format_exc()}" if not isinstance(
                    error, AssertionError) else f"FAILED  {sentence}\n  {error}")
    name = pathlib.Path(sys.argv[0]).resolve().parent.name
    print(f"{name}: {len(chosen) - failures} of {len(chosen)} rules hold")
    sys.exit(1 if failures or not chosen else 0)
