# SPDX-License-Identifier: Apache-2.0
"""What `confine: default` costs: the same plugin without and with it, in turn and in the same run."""

import contextlib
import os

from app import App
from figures import figure, median, percentiles
from processes import children, expire, rollup, wake_ups

CONFINE = {"none": "none", "default": "{profile: default, environment: {keep: [BENCHMARK_WITNESS]}}"}
NOTHING = "bench.nothing"


def confine(directory):
    """Alternates, so that other load of the machine affects both alike."""
    launches(directory)
    resting(directory)
    killing(directory)


def apps(directory, name, policy):
    return {confined: App(directory / f"{name}-{confined}", policy=policy, confine=text)
            for confined, text in CONFINE.items()}


def entries(directory, name, policy, count):
    """Launch to entry of `count` attempts for each; the first one of each host is not among them."""
    both = apps(directory, name, policy)
    with contextlib.ExitStack() as running:
        hosts = {confined: running.enter_context(app.host()) for confined, app in both.items()}
        for number in range(count + 1):
            for host in list(hosts.values())[::1 if number % 2 else -1]:
                host.ask("submit", identifier=f"{NOTHING}.{number}")
                host.wait_until_idle()
    samples = {confined: app.entries()[1:] for confined, app in both.items()}
    for confined, values in samples.items():
        assert len(values) == count, f"{len(values)} of {count} attempts with confine: {confined}"
    return samples


def launches(directory):
    warm = entries(directory, "warm", "grace: 1s", 1_000)
    percentiles("entry, warm, confine: none", warm["none"])
    percentiles("entry, warm, confine: default", warm["default"], ("none", warm["none"]), at_most=1.03)
    cold = entries(directory, "cold", "warm_workers: 0", 150)
    percentiles("entry, cold, confine: none", cold["none"])
    percentiles("entry, cold, confine: default", cold["default"], ("none", cold["none"]))
    figure("entry, cold, added by confine: default",
           (median(cold["default"]) - median(cold["none"])) / 1e6, "ms", at_most=2)


def resting(directory):
    """A host with one warm confined worker, and the two processes of bgrun-init."""
    app = App(directory / "resting", confine=CONFINE["default"])
    with app.host() as host:
        for number in range(20):
            host.ask("submit", identifier=f"{NOTHING}.{number}")
            host.wait_until_idle()
        (outside,) = host.workers()
        (first,) = children(outside)
        (worker,) = children(first)
        calls = wake_ups(directory / "trace", [host.pid, outside, first, worker], 5)
        for line in calls:
            print("  wake-up: " + line)
        figure("wake-ups in 5 s, confined worker", len(calls), "calls", at_most=0)
        figure("PSS of bgrun-init, outside", rollup(outside)["Pss"], "kB")
        figure("PSS of bgrun-init, PID 1", rollup(first)["Pss"], "kB")


def killing(directory):
    """A handler with 100 processes, half of them in separate sessions; all ignore every signal."""
    wait = 100_000_000
    both = apps(directory, "killing", f"termination_wait: {wait // 1_000_000}ms")
    dead = {confined: [] for confined in both}
    with contextlib.ExitStack() as running:
        hosts = {}
        for confined, app in both.items():
            witness = app.directory / "witness"
            os.mkfifo(witness)
            hosts[confined] = running.enter_context(
                app.host(**os.environ, BENCHMARK_WITNESS=str(witness)))
        for number in range(8):
            for confined, host in hosts.items():
                witness = both[confined].directory / "witness"
                dead[confined].append(expire(host, f"bench.many.{number}", witness, wait)[1])
    percentiles("SIGKILL due to 100 processes dead, walk", dead["none"])
    percentiles("SIGKILL due to 100 dead, PID namespace", dead["default"], ("walk", dead["none"]))
