#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Writes the tables of Docs/benchmarks.md from a log of `make bench`:  Benchmarks/tables.py LOG"""
import pathlib
import re
import sys

DOCUMENT = pathlib.Path(__file__).resolve().parent.parent / "Docs/benchmarks.md"
COLUMNS = re.compile(r"^(\S.*?)\s{2,}([\d,.]+) (\S+)\s+(.*?)\s{2,}([\d.]+|-)\s+(\S+) (ok|MISSED|-)$")


class Figures:
    def __init__(self, log):
        rows = [COLUMNS.match(line) for line in log.splitlines()]
        self.rows = {row[1].strip(): row.groups()[1:] for row in rows if row}

    def value(self, name):
        return self.rows[name][0]

    def ratio(self, name):
        return self.rows[name][3]

    def target(self, name):
        target, verdict = self.rows[name][4:]
        number = target.lstrip("<>=")
        return number + (", missed" if verdict == "MISSED" else "")

    def pair(self, name, what):
        return f"{what(name)}, {what(name + ', p95')}"


def table(rows):
    """Aligned columns, two spaces apart."""
    widths = [max(len(row[column]) for row in rows if column < len(row)) for column in range(max(map(len, rows)))]
    return "\n".join("  ".join(cell.ljust(width) for cell, width in zip(row, widths)).rstrip() for row in rows)


def latency(figures):
    rows = [("Latency", "us, p95", "To fork+exec, p95")]
    for name, has_ratio in [
        ("fork+exec of /bin/true", False), ("vfork+exec of /bin/true", False),
        ("continue a stopped process and back", True), ("entry, warm, from a backlog", True),
        ("entry, warm, submitted one by one", True), ("fork+exec of /bin/true, each after 20 ms", False),
        ("continue a stopped process, after 20 ms", True), ("entry, warm, each after 20 ms", True),
        ("entry, cold", True), ("deadline to handler told", False), ("SIGKILL due to all 5 processes dead", False),
    ]:
        ratio = figures.pair(name, figures.ratio) if has_ratio else ""
        if name == "entry, warm, from a backlog":
            ratio += f" (target {figures.target(name)})"
        label = name.replace("fork+exec of /bin/true, each", "fork+exec, each")
        rows.append((label, figures.pair(name, figures.value), ratio))
    return table(rows)


def throughput(figures):
    one = "tasks per second, 1 at once"
    rows = [("Throughput", "1/s", f"To fork+exec ({figures.rows[one][2].split()[-1]})")]
    for label, name in [
        ("tasks, 1 at once", one), ("tasks, 2 at once", "tasks per second, 2 at once"),
        ("submitted, synced and run", "submitted, synced and run per second"),
        ("ts: queued and run", "ts: queued and run per second"),
        ("GNU parallel -j2: run", "GNU parallel -j2: run per second"),
    ]:
        target = f" (target {figures.target(name)})" if label.startswith("tasks") else ""
        rows.append((label, figures.value(name), figures.ratio(name) + target))
    return table(rows)


def idle(figures):
    def cell(name, target=""):
        value = figures.value(name)
        return (value.removesuffix(".0") if "ticks" in figures.rows[name][1] or name.startswith("wake") else value) + target

    return table([
        ("Idle", "Host", "Warm worker"),
        ("wake-ups in 10 s (target 0)", cell("wake-ups in 10 s")),
        ("CPU ticks in 10 s (target 0)", cell("CPU in 10 s idle, host"), cell("CPU in 10 s idle, warm worker")),
        ("CPU ticks in 2 s while a handler waits (target 1)", cell("CPU in 2 s while a handler waits, host"),
         cell("CPU in 2 s while a handler waits, warm worker")),
        ("resident memory, MB", cell("resident memory, host"), cell("resident memory, warm worker")),
        ("private memory, MB", cell("private memory, host", " (target 8)"), cell("private memory, warm worker")),
        ("file pages of it alone, MB", cell("file pages of it alone, host"),
         cell("file pages of it alone, warm worker")),
    ])


def stored(figures):
    rows = [("us, by stored requests", "10", "10,000", "1,000,000", "Ratio (target 2)")]
    for label, name in [
        (name, name) for name in ["submit without a host", "list 10 without a host"]
    ] + [("write+fdatasync", "(the disk: write+fdatasync)")] + [
        (name, name) for name in ["start of the host", "submit through the host", "list 10 through the host",
                                  "next launch to entry", "next attempt after one ended"]
    ]:
        cells = [f"{name}, {count} stored" for count in ["10", "10,000", "1,000,000"]]
        has_target = figures.rows[cells[-1]][4] != "-"
        rows.append((label, *map(figures.value, cells), figures.ratio(cells[-1]) + ("" if has_target else " (no target)")))
    return table(rows)


def policy(figures):
    value, ratio, target = figures.value, figures.ratio, figures.target
    whole = "single-server queue, whole policy"
    deviation = {run: f"{value('mean wait in the queue, ' + run)} s, {value('its deviation from theory, ' + run)} % off "
                      "(target 6 %)" for run in ["SimPy", "whole policy"]}
    return table([
        ("Policy", "Value"),
        ("a week of five apps, start to report", value("a week of five apps, start to report") + " ms (target 1000)"),
        ("simulated device-days/s, one core", value("simulated device-days, one core")),
        ("simulated device-days/s, all cores",
         f"{value('simulated device-days, all cores')} ({ratio('simulated device-days, all cores')} times)"),
        ("events/s, 100 requests pending", value("events, 100 requests pending") + " (target 3,000,000)"),
        ("events/s, 100,000 pending", f"{value('events, 100,000 requests pending')} "
                                      f"({ratio('events, 100,000 requests pending')} times, target 1/3)"),
        ("single-server queue, SimPy, events/s", value("single-server queue, SimPy")),
        (f"{whole}, events/s", f"{value(whole)} ({ratio(whole)} times, target {target(whole)})"),
        ("mean wait (theory: 4.0 s), SimPy", deviation["SimPy"]),
        ("mean wait, whole policy", deviation["whole policy"]),
    ])


def transfer_table(log):
    """The names of processor times repeat, so they are read in the order of the lines."""
    lines = [row for row in map(COLUMNS.match, log.splitlines()) if row and row[1].strip().endswith(" at once")]
    lines = [row for row in lines if row[3] in ("MB/s", "ms/GB")]
    rate, time, ratios, time_ratios = {}, {}, [], []
    last = None
    for row in lines:
        name, count = row[1].strip().removesuffix(" at once").rsplit(", ", 1)
        if row[3] == "MB/s":
            last = name
            rate.setdefault(name, []).append(row[2])
            if name == "transfer service":
                ratios.append(row[5])
        else:
            time.setdefault(last, []).append(row[2])
            if last == "transfer service":
                time_ratios.append(row[5])
    service = "transfer service"
    return table([
        ("Transfers at once", "1", "10", "100"),
        ("curl, MB/s", *rate["curl"]), ("aria2, MB/s", *rate["aria2"]), ("service, MB/s", *rate[service]),
        ("service to curl (target 0.9)", *ratios),
        ("curl, ms/GB of processor", *time["curl"]), ("aria2, ms/GB", *time["aria2"]),
        ("service, ms/GB", *time[service]), ("service to curl", *time_ratios),
    ])


def main():
    log = pathlib.Path(sys.argv[1]).read_text()
    figures = Figures(log)
    text = DOCUMENT.read_text()
    for block in [*(make(figures) for make in (latency, throughput, idle, stored, policy)), transfer_table(log)]:
        first = re.split(r"\s{2,}", block)[0]
        text, count = re.subn(rf"```text\n{re.escape(first)}  .*?```", lambda _: f"```text\n{block}\n```", text, flags=re.S)
        assert count == 1, first
    DOCUMENT.write_text(text)


if __name__ == "__main__":
    main()
