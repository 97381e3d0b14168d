#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""Compares the dates of bgrun with those of systemd-analyze and croniter.

    Tests/Schedules/check_schedules.py [--seed N] [--rounds N]

Tests thousands of random expressions, in several zones, many of them around clock changes. DIFFERENCES
lists the known differences and their reasons; Docs/schedules.md explains them to users.
"""
import argparse
import random
import sys
import zoneinfo

from common import ZONES, changes, seen
from cron import check_cron, check_cronie
from systemd import check_systemd

DIFFERENCES = {
    "croniter-clock-change":
        "croniter has rules of its own around changes of the clocks; bgrun has cronie's. Dates are "
        "compared as long as the clocks stay as they are.",
    "croniter-day-star":
        "croniter takes `*/2` in a day field for a restriction, cronie for a star: then day and "
        "weekday must both match.",
    "croniter-full-field":
        "croniter takes a day field that names every day for `*`; to cronie only a field that begins "
        "with a star is one, so that the day or the weekday is enough.",
    "croniter-short-month":
        "croniter (1.3.5) misses dates when a month has not all the days of its day field, and finds "
        "none when no month has them, whatever the weekday is.",
    "systemd-clock-change":
        "Which of two equal hours systemd means depends on the dates it has looked at before, by way "
        "of the C library; bgrun means the first, always.",
    "systemd-midnight-gap":
        "systemd (252) loses a day whose midnight clocks skip when the C library resolves that "
        "midnight to the evening before.",
    "systemd-fraction":
        "systemd (252) keeps the fraction of a second when a step leads out of the minute: `0/12.25` "
        "continues at 12.25 instead of 0.",
    "systemd-deadlock":
        "systemd (252) gives up with EDEADLK where summer time lies behind standard time (Morocco).",
    "systemd-carry":
        "systemd (252) leaves dates out when an open step leads out of the last hour of a day, the "
        "last day of a month or the last month of a year: it keeps what is smaller.",
    "systemd-iterations":
        "systemd stops after 1000 steps of its search; bgrun continues to 2199.",
}


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--seed", type=int, default=20_261_121)
    parser.add_argument("--rounds", type=int, default=1_000)
    options = parser.parse_args()
    print(f"schedules: seed {options.seed}, {options.rounds} expressions of each kind")
    rng = random.Random(options.seed)
    zones = {}
    for name in ZONES:
        zone = zoneinfo.ZoneInfo(name)
        zones[name] = (zone, changes(zone, 1_690_000_000, 1_950_000_000))
    faults = []
    for check in (check_cron, check_cronie, check_systemd):
        compared, found = check(rng, options.rounds, zones)
        print(f"  {check.__name__[6:]}: {compared} dates compared, {len(found)} differ")
        faults += found
    faults += [f"{name} is not a known difference" for name in seen if name not in DIFFERENCES]
    for name, count in sorted(seen.items()):
        print(f"  known: {name} {count} times")
    for fault in faults[:20]:
        print(fault)
    return 1 if faults else 0


if __name__ == "__main__":
    sys.exit(main())
