#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The smallest plugin in Swift."""

import pathlib
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[2] / "Tests/PluginHarness"))
from harness import equal, exports_its_entry_only, main, rule, run, succeeds  # noqa: E402


@rule("hello-swift.greet logs, shows progress and completes")
def _(_directory):
    done = succeeds("hello-swift", "greet")
    equal(done.of("log"), ["info hello from Swift, com.example.harness"])
    equal(done.of("progress"), ["1/1"])
    equal(done.message, "hello")


@rule("a warm worker runs it again and again, and the Swift runtime leaves nothing behind")
def _(_directory):
    done = run("hello-swift", "greet", runs=50)
    equal(len(done.of("complete")), 50)
    equal(done.of("left"), [])


exports_its_entry_only("hello-swift")
main()
