#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""Compares the dates bgrun finds with those of systemd-analyze and croniter.

    Tests/Schedules/check_schedules.py [--seed N] [--rounds N]

Thousands of random expressions, in several zones, many of them around changes of the clocks. What is
known to differ, and why, is in DIFFERENCES; Docs/schedules.md tells users of it.
"""
import argparse
import collections
import datetime
import json
import os
import random
import re
import subprocess
import sys
import zoneinfo
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent.parent
BGRUN = os.environ.get("BGRUN", str(ROOT / ".build/debug/bgrun"))
ZONES = ["UTC", "Europe/Berlin", "America/New_York", "Australia/Lord_Howe", "America/Santiago",
         "Asia/Kathmandu", "Pacific/Auckland", "Africa/Casablanca"]
COUNT = 6

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
        "goes on at 12.25 instead of 0.",
    "systemd-deadlock":
        "systemd (252) gives up with EDEADLK where summer time lies behind standard time (Morocco).",
    "systemd-carry":
        "systemd (252) leaves dates out when an open step leads out of the last hour of a day, the "
        "last day of a month or the last month of a year: it keeps what is smaller.",
    "systemd-iterations":
        "systemd stops after 1000 steps of its search; bgrun goes on to 2199.",
}
seen = collections.Counter()


def bgrun(questions):
    """The answers of one bgrun to all questions."""
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
    """The seconds at which the offset of the zone is another than before."""
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
    """A second of 2024 to 2030, often near a change of the clocks."""
    if zone_changes and rng.random() < 0.5:
        return rng.choice(zone_changes) + rng.randint(-90_000, 9_000)
    return rng.randint(1_704_067_200, 1_893_456_000)


# MARK: cron

def cron_item(rng, low, high):
    kind = rng.random()
    if kind < 0.6:
        return str(rng.randint(low, high))
    first = rng.randint(low, high - 1)
    last = rng.randint(first + 1, high)
    if kind < 0.8:
        return f"{first}-{last}"
    return f"{first}-{last}/{rng.randint(1, max(2, (high - low) // 3))}"


def cron_field(rng, low, high, star=0.45, names=None):
    if rng.random() < star:
        return "*" if rng.random() < 0.6 else f"*/{rng.randint(2, max(2, (high - low) // 2))}"
    if names and rng.random() < 0.4:
        return rng.choice(names)
    return ",".join(cron_item(rng, low, high) for _ in range(rng.choice([1, 1, 1, 2, 3])))


def a_cron(rng):
    months = "jan feb mar apr may jun jul aug sep oct nov dec".split()
    days = "sun mon tue wed thu fri sat".split()
    return " ".join([
        cron_field(rng, 0, 59, 0.3), cron_field(rng, 0, 23, 0.4),
        cron_field(rng, 1, 31, 0.6), cron_field(rng, 1, 12, 0.7, months),
        cron_field(rng, 0, 6, 0.6, days)])


def has_day_star_step(expression):
    fields = expression.split()
    return (fields[2].startswith("*/") or fields[4].startswith("*/")) \
        and fields[2] != "*" and fields[4] != "*"


def is_full(field, low, count, names):
    """Whether a field names all its values without a star."""
    values = set()
    if field.startswith("*"):
        return False
    for item in field.split(","):
        ends, _, step = item.partition("/")
        ends = [names.index(end) if end in names else int(end) for end in ends.split("-")]
        values.update(range(ends[0], ends[-1] + 1, int(step or 1)))
    return len({value % count for value in values}) == count


def names_late_days(expression):
    """Whether its day field names days that some months have not."""
    day = expression.split()[2]
    return day.startswith("*/") or any(int(number) > 28 for number in re.findall(r"\d+", day))


def has_full_day(expression):
    fields = expression.split()
    return is_full(fields[2], 1, 31, []) \
        or is_full(fields[4], 0, 7, "sun mon tue wed thu fri sat".split())


def check_cron(rng, rounds, zones):
    import croniter
    questions, expected = [], []
    while len(questions) < rounds:
        expression, name = a_cron(rng), rng.choice(ZONES)
        zone, zone_changes = zones[name]
        start = a_start(rng, zone_changes)
        if has_day_star_step(expression):
            seen["croniter-day-star"] += 1
            continue
        if has_full_day(expression):
            seen["croniter-full-field"] += 1
            continue
        # croniter counts in UTC: the clocks of the zone are made of the offset, which must not change.
        shift = int(offset(zone, start).total_seconds())
        try:
            source = croniter.croniter(expression, start + shift, max_years_between_matches=60)
            dates = [int(source.get_next(float)) - shift for _ in range(COUNT)]
        except croniter.CroniterBadDateError:
            dates = []
        until = min((change for change in zone_changes if change > start), default=None)
        if until is not None:
            if any(date >= until for date in dates):
                seen["croniter-clock-change"] += 1
            dates = [date for date in dates if date < until]
        # The hour that has come twice is cronie's affair, too.
        if any(0 <= start - change < 10_800 for change in zone_changes):
            seen["croniter-clock-change"] += 1
            continue
        questions.append({"cron": expression, "zone": name, "from": start * 1000, "count": COUNT})
        expected.append((dates, until))
    faults, compared = [], 0
    for question, (dates, until), answer in zip(questions, expected, bgrun(questions)):
        if "error" in answer:
            if dates or "never" not in answer["error"]:
                faults.append(f"{question}: {answer['error']}; croniter: {dates}")
            continue
        found = [date // 1000 for date in answer["dates"]]
        if until is not None:
            found = [date for date in found if date < until]
        compared += len(dates)
        if found == dates:
            continue
        if names_late_days(question["cron"]):
            seen["croniter-short-month"] += 1
        else:
            faults.append(f"{question}: {found}; croniter: {dates}")
    return compared, faults


# MARK: cronie

def bits(field, low, high):
    values = set()
    for item in field.split(","):
        ends, _, step = item.partition("/")
        first, last = (low, high) if ends == "*" else [int(ends.split("-")[0]), int(ends.split("-")[-1])]
        values.update(range(first, last + 1, int(step or 1)))
    return values


class CronieJob:
    """An entry as cronie's load_entry and find_jobs see it."""

    def __init__(self, expression):
        fields = expression.split()
        self.minute, self.hour = bits(fields[0], 0, 59), bits(fields[1], 0, 23)
        self.day, self.month = bits(fields[2], 1, 31), bits(fields[3], 1, 12)
        self.weekday = {value % 7 for value in bits(fields[4], 0, 7)}
        self.is_wild = fields[0][0] == "*" or fields[1][0] == "*"
        self.is_and = fields[2][0] == "*" or fields[4][0] == "*"

    def matches(self, minutes):
        """Whether it is due at so many minutes since 1970 on the clock."""
        date = datetime.datetime(1970, 1, 1) + datetime.timedelta(minutes=minutes)
        days = [date.day in self.day, date.isoweekday() % 7 in self.weekday]
        return date.minute in self.minute and date.hour in self.hour \
            and date.month in self.month and (all(days) if self.is_and else any(days))


def cronie_dates(expression, zone, first, last):
    """What the main loop of cronie, woken every minute, starts from `first` to `last`."""
    job, dates = CronieJob(expression), []
    clock = lambda second: (second + int(offset(zone, second).total_seconds())) // 60
    virtual = clock(first)
    for second in range(first + 60, last, 60):
        running = clock(second)
        ahead = running - virtual
        if 0 < ahead <= 5 or abs(ahead) > 180:
            due = range(virtual + 1, running + 1) if 0 < ahead <= 5 else [running]
            hit = any(job.matches(minute) for minute in due)
            virtual = running
        elif ahead > 5:
            hit = job.is_wild and job.matches(running) or not job.is_wild and any(
                job.matches(minute) for minute in range(virtual + 1, running + 1))
            virtual = running
        else:
            hit = job.is_wild and job.matches(running)
        if hit:
            dates.append(second)
    return dates


def check_cronie(rng, rounds, zones):
    """Around changes of the clocks, where croniter is no measure."""
    questions, expected = [], []
    names = [name for name in ZONES if zones[name][1]]
    while len(questions) < rounds // 5:
        name = rng.choice(names)
        zone, zone_changes = zones[name]
        first = rng.choice(zone_changes) - rng.randint(2, 14) * 3600
        first -= first % 60
        expression = f"{cron_field(rng, 0, 59, 0.25)} {cron_field(rng, 0, 3, 0.3)} * * *"
        last = first + 20 * 3600
        questions.append(
            {"cron": expression, "zone": name, "from": first * 1000, "count": 2_000})
        expected.append((cronie_dates(expression, zone, first, last), last))
    faults, compared = [], 0
    for question, (dates, last), answer in zip(questions, expected, bgrun(questions)):
        found = [date // 1000 for date in answer["dates"] if date < last * 1000]
        compared += len(dates)
        if found != dates:
            odd = sorted(set(found) ^ set(dates))
            faults.append(f"{question}: {odd[:5]} in one only of bgrun and cronie")
    return compared, faults


# MARK: systemd

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
    """The dates of each expression after `start`, a few hundred milliseconds a call."""
    base = datetime.datetime.fromtimestamp(start, datetime.timezone.utc)
    run = subprocess.run(
        ["systemd-analyze", "calendar", f"--iterations={COUNT}",
         f"--base-time={base:%Y-%m-%d %H:%M:%S} UTC", *expressions],
        capture_output=True, text=True, env={**os.environ, "TZ": "UTC", "LC_ALL": "C"})
    if "Resource deadlock avoided" in run.stderr and len(expressions) == 1:
        return "deadlock"
    if run.returncode != 0:
        return None
    # Blocks are parted by empty lines.
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
        # Clocks that skip midnight.
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
        # What neither can read is no question; systemd gives up at the first one in a call.
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
    for name, count in sorted(seen.items()):
        print(f"  known: {name} {count} times")
    for fault in faults[:20]:
        print(fault)
    return 1 if faults else 0


if __name__ == "__main__":
    sys.exit(main())
