#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The smallest plugin in C."""

import pathlib
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[2] / "Tests/PluginHarness"))
from harness import equal, exports_its_entry_only, main, rule, succeeds  # noqa: E402


@rule("hello-c.greet logs, shows progress and completes")
def _(_directory):
    done = succeeds("hello-c", "greet")
    equal(done.of("log"), ["info hello from C"])
    equal(done.of("progress"), ["1/1"])
    equal(done.message, "hello")


exports_its_entry_only("hello-c")
main()
