# SPDX-License-Identifier: Apache-2.0
"""Zones, starts and the questions to bgrun."""
import collections
import datetime
import json
import os
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent.parent
BGRUN = os.environ.get("BGRUN", str(ROOT / ".build/debug/bgrun"))
ZONES = ["UTC", "Europe/Berlin", "America/New_York", "Australia/Lord_Howe", "America/Santiago",
         "Asia/Kathmandu", "Pacific/Auckland", "Africa/Casablanca"]
COUNT = 6
# The number of occurrences of each known difference.
seen = collections.Counter()


def bgrun(questions):
    """The answers of one bgrun process to all questions."""
    text = "\n".join(json.dumps(question) for question in questions) + "\n"
    run = subprocess.run([BGRUN, "next", "--batch"], input=text, capture_output=True, text=True)
    if run.returncode != 0:
        sys.exit(f"bgrun next --batch: {run.returncode}: {run.stderr}")
    answers = [json.loads(line) for line in run.stdout.splitlines()]
    if len(answers) != len(questions):
        sys.exit(f"{len(answers)} answers to {len(questions)} questions")
    return answers


def offset(zone, second):
    return datetime.datetime.fromtimestamp(second, zone).utcoffset()


def changes(zone, first, last):
    """The seconds at which the offset of the zone changes."""
    found, step = [], 6 * 3600
    for start in range(first, last, step):
        if offset(zone, start) == offset(zone, start + step):
            continue
        low, high = start, start + step
        while high - low > 1:
            middle = (low + high) // 2
            if offset(zone, middle) == offset(zone, low):
                low = middle
            else:
                high = middle
        found.append(high)
    return found


def a_start(rng, zone_changes):
    """A second of 2024 to 2030, often near a clock change."""
    if zone_changes and rng.random() < 0.5:
        return rng.choice(zone_changes) + rng.randint(-90_000, 9_000)
    return rng.randint(1_704_067_200, 1_893_456_000)
