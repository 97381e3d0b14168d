# SPDX-License-Identifier: Apache-2.0
"""One line for each figure: name, value, unit, peer, ratio, target, ok or MISSED."""

import os
import pathlib
import statistics
import subprocess

OUT = pathlib.Path(__file__).resolve().parents[1] / ".build/benchmarks"
missed = []


def peer(*arguments, rest=None):
    """The samples of the C program in nanoseconds, with `rest` seconds before each sample."""
    environment = dict(os.environ, **({"PEERS_REST": str(int(rest * 1e6))} if rest else {}))
    lines = subprocess.run(
        [str(OUT / "peers"), *map(str, arguments)], check=True, env=environment,
        stdout=subprocess.PIPE).stdout
    return [int(line) for line in lines.split()]


def median(samples):
    return statistics.median(samples)


def p95(samples):
    return sorted(samples)[int(len(samples) * 0.95)]


def figure(name, value, unit, peer=None, target=None, at_most=None, at_least=None):
    """`peer` is a pair of a name and its value; the ratio is value over peer. `at_most` and
    `at_least` limit the ratio if there is a peer, otherwise the value."""
    ratio = value / peer[1] if peer and peer[1] else None
    judged = value if ratio is None else ratio
    verdict = "-"
    if at_most is not None or at_least is not None:
        isFine = judged <= at_most if at_most is not None else judged >= at_least
        verdict = "ok" if isFine else "MISSED"
        target = f"<={at_most:g}" if at_most is not None else f">={at_least:g}"
        if not isFine:
            missed.append(name)
    print(
        f"{name:<44} {value:>12,.1f} {unit:<9}"
        f" {f'{peer[0]} {peer[1]:,.1f}' if peer else '-':<36}"
        f" {f'{ratio:.3f}' if ratio is not None else '-':>9} {target or '-':>9} {verdict}",
        flush=True)


def heading():
    columns = ("name", "value", "unit", "peer", "ratio", "target", "")
    print("{:<44} {:>12} {:<9} {:<36} {:>9} {:>9} {}".format(*columns))


def percentiles(name, samples, peer=None, **bounds):
    """A figure for the median, which is judged, and one for the 95th percentile; samples and
    peer are in nanoseconds."""
    peers = (peer[0], median(peer[1]) / 1e3) if peer else None
    figure(name, median(samples) / 1e3, "us", peers, **bounds)
    figure(f"{name}, p95", p95(samples) / 1e3, "us",
           (peer[0], p95(peer[1]) / 1e3) if peer else None)
