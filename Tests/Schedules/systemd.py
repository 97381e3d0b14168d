# SPDX-License-Identifier: Apache-2.0
"""Calendar expressions: compared with systemd-analyze."""
import datetime
import os
import re
import subprocess
import sys

from common import COUNT, ZONES, a_start, bgrun, offset, seen


def calendar_item(rng, low, high, digits=2):
    kind = rng.random()
    first = rng.randint(low, high - 1)
    if kind < 0.55:
        return f"{first:0{digits}d}"
    step = rng.randint(1, max(1, (high - first)))
    if kind < 0.7:
        return f"{first}/{step}"
    last = rng.randint(first + 1, high)
    if kind < 0.85:
        return f"{first}..{last}"
    return f"{first}..{last}/{rng.randint(1, last - first)}"


def calendar_field(rng, low, high, star=0.5):
    if rng.random() < star:
        return "*"
    return ",".join(calendar_item(rng, low, high) for _ in range(rng.choice([1, 1, 1, 2, 3])))


def a_calendar(rng):
    names = "Mon Tue Wed Thu Fri Sat Sun".split()
    if rng.random() < 0.04:
        return rng.choice("minutely hourly daily weekly monthly quarterly semiannually yearly".split())
    parts = []
    if rng.random() < 0.35:
        first = rng.randint(0, 5)
        last = rng.randint(first + 1, 6)
        parts.append(rng.choice([
            names[first], f"{names[first]},{names[last]}", f"{names[first]}..{names[last]}"]))
    if rng.random() < 0.6:
        year = rng.choice(["*-", "*-", "*-", "", "2024..2031/2-", "2026,2028-"])
        if rng.random() < 0.25:
            first = rng.randint(1, 7)
            day = f"~{rng.choice([f'{first:02d}', f'{first}..{first + 2}', f'{first + 1}/1'])}"
        else:
            day = f"-{calendar_field(rng, 1, 31, 0.35)}"
        parts.append(year + calendar_field(rng, 1, 12, 0.65) + day)
    if rng.random() < 0.8 or not parts:
        time = calendar_field(rng, 0, 23, 0.4) + ":" + calendar_field(rng, 0, 59, 0.3)
        if rng.random() < 0.25:
            time += ":" + rng.choice(["*", "0/20", "15", "5..50/15", "1.5", "0/12.25"])
        parts.append(time)
    return " ".join(parts)


ELAPSE = re.compile(r"(?:Next elapse|Iter(?:ation|\.) #\d+): \w{3} (\S+ \S+) UTC")


def systemd_dates(expressions, start):
    """The dates of each expression after `start`; a call takes a few hundred milliseconds."""
    base = datetime.datetime.fromtimestamp(start, datetime.timezone.utc)
    run = subprocess.run(
        ["systemd-analyze", "calendar", f"--iterations={COUNT}",
         f"--base-time={base:%Y-%m-%d %H:%M:%S} UTC", *expressions],
        capture_output=True, text=True, env={**os.environ, "TZ": "UTC", "LC_ALL": "C"})
    if "Resource deadlock avoided" in run.stderr and len(expressions) == 1:
        return "deadlock"
    if run.returncode != 0:
        return None
    # Empty lines separate blocks.
    blocks = run.stdout.strip().split("\n\n")
    if len(blocks) != len(expressions):
        sys.exit(f"{len(blocks)} answers of systemd-analyze to {len(expressions)} expressions")
    dates = []
    for block in blocks:
        dates.append([
            int(datetime.datetime.strptime(text.split(".")[0], "%Y-%m-%d %H:%M:%S").replace(
                tzinfo=datetime.timezone.utc).timestamp()) for text in ELAPSE.findall(block)])
    return dates


def is_near(zone_changes, seconds):
    return any(abs(change - second) < 90_000 for change in zone_changes for second in seconds)


def explain(expression, zone, zone_changes, start, found, expected):
    """The name of the known difference, or None."""
    odd = set(found) ^ set(expected)
    for change in zone_changes:
        gap = (offset(zone, change) - offset(zone, change - 1)).total_seconds()
        if gap < 0 and any(change + gap <= date < change - gap for date in [start, *odd]):
            return "systemd-clock-change"
        if gap <= 0:
            continue
        # Zones in which midnight is skipped.
        before = datetime.datetime.fromtimestamp(change - 1, zone)
        after = datetime.datetime.fromtimestamp(change, zone)
        if before.date() != after.date() and is_near([change], found + expected + [start]):
            return "systemd-midnight-gap"
    missed = [date for date in found if date not in expected]
    if missed and re.search(r"(?<!\.)\b\d+/\d", expression):
        date = datetime.datetime.fromtimestamp(missed[0], zone)
        if date.month == 1 or date.day == 1 or date.hour == 0:
            return "systemd-carry"
    if len(expected) < len(found):
        return "systemd-iterations"
    return None


def check_systemd(rng, rounds, zones, batch=120):
    faults, compared = [], 0
    questions, expected = [], []
    while len(questions) < rounds:
        name = rng.choice(ZONES)
        start = a_start(rng, zones[name][1])
        expressions = [a_calendar(rng) for _ in range(batch)]
        asked = [{"calendar": f"{text} {name}", "from": start * 1000, "count": COUNT}
                 for text in expressions]
        # Skips expressions that neither can read, because systemd stops at the first invalid one of a call.
        answers = bgrun(asked)
        good = [(q, a) for q, a in zip(asked, answers) if "error" not in a]
        bad = [(q, a) for q, a in zip(asked, answers) if "error" in a]
        for question, answer in bad[:3]:
            verdict = systemd_dates([question["calendar"]], start)
            if verdict not in (None, [[]]):
                faults.append(f"{question}: {answer['error']}; systemd: {verdict[0]}")
        dates = systemd_dates([q["calendar"] for q, _ in good], start)
        if dates is None:
            for question, _ in good:
                verdict = systemd_dates([question["calendar"]], start)
                if verdict == "deadlock":
                    seen["systemd-deadlock"] += 1
                elif verdict is None:
                    faults.append(f"{question}: systemd does not read it")
            continue
        for (question, answer), wanted in zip(good, dates):
            found = [date // 1000 for date in answer["dates"]]
            questions.append(question)
            compared += len(wanted)
            if found == wanted:
                continue
            zone, zone_changes = zones[name]
            reason = explain(question["calendar"], zone, zone_changes, start, found, wanted)
            if re.search(r"/\d+\.\d", question["calendar"]):
                reason = "systemd-fraction"
            if reason:
                seen[reason] += 1
            else:
                faults.append(f"{question}: {found}; systemd: {wanted}")
    return compared, faults
