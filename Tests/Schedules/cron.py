# SPDX-License-Identifier: Apache-2.0
"""Cron expressions: compared with croniter, and around clock changes with a model of cronie."""
import datetime
import re

from common import COUNT, ZONES, a_start, bgrun, offset, seen


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
    """Whether a field lists all its values without a star."""
    values = set()
    if field.startswith("*"):
        return False
    for item in field.split(","):
        ends, _, step = item.partition("/")
        ends = [names.index(end) if end in names else int(end) for end in ends.split("-")]
        values.update(range(ends[0], ends[-1] + 1, int(step or 1)))
    return len({value % count for value in values}) == count


def names_late_days(expression):
    """Whether the day field has days that some months do not have."""
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
        # croniter counts in UTC: local time is computed from the offset, which must not change.
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
        # check_cronie checks the repeated hour.
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


def bits(field, low, high):
    values = set()
    for item in field.split(","):
        ends, _, step = item.partition("/")
        first, last = (low, high) if ends == "*" else [int(ends.split("-")[0]), int(ends.split("-")[-1])]
        values.update(range(first, last + 1, int(step or 1)))
    return values


class CronieJob:
    """An entry as cronie's load_entry and find_jobs read it."""

    def __init__(self, expression):
        fields = expression.split()
        self.minute, self.hour = bits(fields[0], 0, 59), bits(fields[1], 0, 23)
        self.day, self.month = bits(fields[2], 1, 31), bits(fields[3], 1, 12)
        self.weekday = {value % 7 for value in bits(fields[4], 0, 7)}
        self.is_wild = fields[0][0] == "*" or fields[1][0] == "*"
        self.is_and = fields[2][0] == "*" or fields[4][0] == "*"

    def matches(self, minutes):
        """Whether it is due at these minutes since 1970 in local time."""
        date = datetime.datetime(1970, 1, 1) + datetime.timedelta(minutes=minutes)
        days = [date.day in self.day, date.isoweekday() % 7 in self.weekday]
        return date.minute in self.minute and date.hour in self.hour \
            and date.month in self.month and (all(days) if self.is_and else any(days))


def cronie_dates(expression, zone, first, last):
    """The launches of the main loop of cronie, woken every minute, from `first` to `last`."""
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
    """Compares dates around clock changes, where croniter is not a reference."""
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
