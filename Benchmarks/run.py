#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Measures bgrun and its peers in one run. `run.py [part...]`; all parts without arguments."""

import contextlib
import json
import os
import pathlib
import resource
import shutil
import socket
import sqlite3
import subprocess
import sys
import tempfile
import time

from app import BIN, OUT, ROOT, App
from confine import confine
from figures import figure, heading, median, missed, p95, peer, percentiles
from processes import expire, rollup, ticks, wake_ups

FAR = 4_000_000_000_000
NOTHING = "bench.nothing"


def entry(directory):
    """Measures the time from launch to the handler's first instruction."""
    floor = peer("floor", 2_000)
    spawns = {how: peer("spawn", how, 1_000, "/bin/true") for how in ("fork", "vfork")}
    app = App(directory / "warm")
    app.store(2_000, NOTHING)
    app.bgrun("run")
    warm = app.entries()[1:]
    with app.host() as host:
        for number in range(300):
            host.ask("submit", identifier=f"bench.other.{number}")
            host.wait_until_idle()
    one = app.entries("bench.other")[1:]
    rest = 0.02
    with app.host() as host:
        for number in range(150):
            host.ask("submit", identifier=f"bench.rested.{number}")
            time.sleep(rest)
    rested = app.entries("bench.rested")[1:]
    rested_fork = peer("spawn", "fork", 150, "/bin/true", rest=rest)
    rested_floor = peer("floor", 150, rest=rest)
    cold = App(directory / "cold", policy="warm_workers: 0")
    cold.store(200, NOTHING)
    cold.bgrun("run")

    again = {how: peer("spawn", how, 1_000, "/bin/true") for how in spawns}
    fork, vfork = (spawns[how] + again[how] for how in ("fork", "vfork"))
    forked = ("fork+exec /bin/true", fork)
    percentiles("fork+exec of /bin/true", fork)
    percentiles("vfork+exec of /bin/true", vfork)
    percentiles("continue a stopped process and back", floor, forked)
    percentiles("entry, warm, from a backlog", warm, forked, at_most=1 / 8)
    percentiles("entry, warm, submitted one by one", one, forked)
    percentiles("fork+exec of /bin/true, each after 20 ms", rested_fork)
    percentiles("continue a stopped process, after 20 ms", rested_floor,
                ("the same fork+exec", rested_fork))
    percentiles("entry, warm, each after 20 ms", rested, ("the same fork+exec", rested_fork))
    percentiles("entry, cold", cold.entries(), forked)


def throughput(directory):
    """No-op tasks per second, one at a time and two at once."""
    def rate(samples):
        return 1e9 * len(samples) / sum(samples)

    fork = rate(peer("spawn", "fork", 1_000, "/bin/true"))
    for concurrent in (1, 2):
        app = App(directory / f"backlog{concurrent}", concurrent=concurrent)
        app.store(4_000, NOTHING)
        app.bgrun("run")
        (first,), (last,) = (
            app.rows(f"SELECT {end}(elapsed) FROM event")[0] for end in ("min", "max"))
        figure(f"tasks per second, {concurrent} at once", 4_000 * 1e9 / (last - first), "1/s",
               ("fork+exec /bin/true", fork), at_least=1)
    app = App(directory / "submitted", concurrent=2)
    with app.host() as host:
        begin = time.monotonic()
        for number in range(500):
            host.ask("submit", identifier=f"{NOTHING}.{number}")
        host.wait_until_idle()
        figure("submitted, synced and run per second", 500 / (time.monotonic() - begin), "1/s",
               ("fork+exec /bin/true", fork))
    if shutil.which("tsp"):
        figure("ts: queued and run per second", task_spooler(directory, 300), "1/s",
               ("fork+exec /bin/true", fork))
    if shutil.which("parallel"):
        begin = time.monotonic()
        lines = "".join(f"{number}\n" for number in range(500)).encode()
        subprocess.run(["parallel", "--will-cite", "-j2", "/bin/true #"], input=lines, check=True)
        figure("GNU parallel -j2: run per second", 500 / (time.monotonic() - begin), "1/s",
               ("fork+exec /bin/true", fork))


def task_spooler(directory, count):
    environment = dict(os.environ, TS_SOCKET=str(directory / "ts.sock"), TS_SLOTS="2")
    try:
        subprocess.run(["tsp"], env=environment, check=True, stdout=subprocess.DEVNULL)
        begin = time.monotonic()
        subprocess.run(
            ["sh", "-c", f"i=0; while [ $i -lt {count} ]; do tsp -n /bin/true; i=$((i+1)); done"
             "; tsp -w"], env=environment, check=True, stdout=subprocess.DEVNULL)
        return count / (time.monotonic() - begin)
    finally:
        subprocess.run(["tsp", "-K"], env=environment, check=True)


def expiration(directory):
    """A handler with four children, two in separate sessions; all ignore every signal."""
    witness = directory / "witness"
    os.mkfifo(witness)
    wait = 100_000_000
    app = App(directory / "stubborn", policy=f"termination_wait: {wait // 1_000_000}ms")
    told, dead = [], []
    with app.host(**os.environ, BENCHMARK_WITNESS=str(witness)) as host:
        for number in range(12):
            times = expire(host, f"bench.stubborn.{number}", witness, wait)
            told.append(times[0])
            dead.append(times[1])
    percentiles("deadline to handler told", told)
    percentiles("SIGKILL due to all 5 processes dead", dead)


def once(directory):
    """The time from start to exit without work: the median of the quietest of five rounds."""
    app = App(directory / "once")
    commands = {
        "bash -c :": ["bash", "-c", ":"],
        "python3 -c pass": ["python3", "-c", "pass"],
        "bgrun run --once, nothing to do": app.command("run", "--once"),
    }
    rounds = {name: [] for name in commands}
    for _ in range(5):
        for name, command in commands.items():
            rounds[name].append(median(peer("spawn", "vfork", 20, *command)) / 1e6)
    quietest = {name: min(medians) for name, medians in rounds.items()}
    for name, value in quietest.items():
        figure(name, value, "ms", **(
            {"peer": ("bash -c :", quietest["bash -c :"]), "at_most": 5} if "bgrun" in name else {}))


def size(directory):
    """The sizes of the programs as installed, without debug information."""
    limits = {"bgrun": 25, "bgrun-transferd": 16, "bgrun-worker": 8.2, "bgrun-gateway": None}
    subprocess.run(
        [ROOT / "Scripts/install-program", directory, *(BIN / name for name in limits)], check=True)
    for name, limit in limits.items():
        figure(f"size of {name}", (directory / name).stat().st_size / 1e6, "MB", at_most=limit)


def idle(directory):
    """A host that waits, with one warm worker."""
    app = App(directory / "idle")
    with app.host() as host:
        for number in range(20):
            host.ask("submit", identifier=f"{NOTHING}.{number}")
            host.wait_until_idle()
        host.ask("submit", identifier=f"{NOTHING}.far", delay=3_600_000_000_000)
        processes = {"host": host.pid, "warm worker": host.workers()[0]}
        before = {name: ticks(pid) for name, pid in processes.items()}
        calls = wake_ups(directory / "trace", processes.values(), 10)
        for line in calls:
            print("  wake-up: " + line)
        figure("wake-ups in 10 s", len(calls), "calls", at_most=0)
        for name, pid in processes.items():
            figure(f"CPU in 10 s idle, {name}", ticks(pid) - before[name], "ticks", at_most=0)
            memory = rollup(pid)
            figure(f"resident memory, {name}", memory["Rss"] / 1024, "MB")
            private = memory["Private_Clean"] + memory["Private_Dirty"]
            figure(f"private memory, {name}", memory["Anonymous"] / 1024, "MB",
                   at_most=8 if name == "host" else None)
            figure(f"file pages of it alone, {name}",
                   (private - memory["Anonymous"]) / 1024, "MB")
        host.ask("submit", identifier="bench.waiting.1")
        before = {name: ticks(pid) for name, pid in processes.items()}
        time.sleep(2)
        for name, pid in processes.items():
            figure(f"CPU in 2 s while a handler waits, {name}", ticks(pid) - before[name],
                   "ticks", at_most=1)


def scale(directory):
    """The same work with 10, 10,000 and 1,000,000 stored requests that wait."""
    apps = {}
    for count in (10, 10_000, 1_000_000):
        apps[count] = App(directory / str(count))
        apps[count].store(count, "bench.other", earliest=FAR)
    samples = {count: {"submit without a host": [], "list 10 without a host": []}
               for count in apps}
    # Alternates, so that other load of the machine affects all samples alike.
    for _ in range(5):
        for count, app in apps.items():
            samples[count]["submit without a host"] += peer(
                "spawn", "vfork", 5, *app.command("submit", "bench.other.late", "--after", "9d"))
            samples[count]["list 10 without a host"] += peer(
                "spawn", "vfork", 5, *app.command("pending", "--limit", "10"))
    for count, more in hosted(directory, apps).items():
        samples[count].update(more)
    small = {}
    for count in apps:
        for name, times in samples[count].items():
            value = median(times) / 1e3
            against = ("at 10", small[name]) if name in small else None
            small.setdefault(name, value)
            isJudged = count == 1_000_000 and not name.startswith(("start", "("))
            figure(f"{name}, {count:,} stored", value, "us", against,
                   **({"at_most": 2} if isJudged else {}))


def hosted(directory, apps):
    """Runs a host on each store at the same time, and alternates their requests: otherwise a machine that
    is slow for ten seconds would look like a slow store."""
    samples = {count: {name: [] for name in (
        "(the disk: write+fdatasync)", "start of the host", "submit through the host",
        "list 10 through the host")} for count in apps}
    with contextlib.ExitStack() as running:
        hosts = {}
        for count, app in apps.items():
            begin = time.monotonic_ns()
            hosts[count] = running.enter_context(app.host())
            samples[count]["start of the host"].append(time.monotonic_ns() - begin)
        for turn in range(10):
            for count, host in hosts.items():
                mine, numbers = samples[count], range(30 * turn, 30 * turn + 30)
                mine["(the disk: write+fdatasync)"] += peer("sync", 30, directory / "sync")
                mine["submit through the host"] += [
                    host.timed("submit", identifier=f"bench.other.x{number}", delay=FAR)
                    for number in numbers]
                mine["list 10 through the host"] += [
                    host.timed("pending", limit=10) for _ in numbers]
                for number in numbers:
                    host.ask("submit", identifier=f"{NOTHING}.{number}")
                    host.wait_until_idle()
    for count, app in apps.items():
        samples[count]["next launch to entry"] = app.entries()[1:]
        samples[count]["next attempt after one ended"] = backlog(app)
    return samples


def backlog(app):
    """The time between the ends of consecutive attempts, of 1,000 stored requests."""
    app.store(1_000, f"{NOTHING}.later")
    ((last,),) = app.rows("SELECT max(id) FROM event")
    with app.host() as host:
        host.wait_until_idle()
    ends = [elapsed for (elapsed,) in app.rows(
        f"SELECT elapsed FROM event WHERE id > {last} AND kind = 'ended' ORDER BY id")]
    return [after - before for before, after in zip(ends, ends[1:])]


def simulation(directory):
    """The tasks of five apps in weeks of a phone."""
    kinds = {
        "refresh": "kind: app-refresh, every: 1h",
        "backup": "kind: processing, every: 1d, requires: {power: external, network: unmetered}",
        "index": "kind: processing, every: 12h, requires: {idle: true, battery: not-low}",
        "message": "kind: push",
    }
    tasks = "".join(
        f"  bench.app{app}.{name}: {{handler: exec.run, parameters: {{command: x}}, {keys}}}\n"
        for app in range(5) for name, keys in kinds.items())
    pushes = "".join(
        f"  - {{every: 2h, at: {app * 7}m, push: bench.app{app}.message}}\n" for app in range(5))
    (directory / "app.yaml").write_text(
        "bgrun: 1\napp: bench\nmodes: [fetch, processing, remote-notification]\n"
        "permitted_identifiers: [bench.*]\nplugins: {exec: exec}\n"
        f"policy: {{profile: server}}\ntasks:\n{tasks}")
    (directory / "week.yaml").write_text(
        "scenario: 1\nstart: 2026-03-23 05:00\nzone: Europe/Berlin\nduration: 7d\njitter: 20m\n"
        "device:\n  power: [{every: day, at: 22:45, until: 06:30}]\n"
        "  battery: {start: 70%, lasts: 17h, charges_in: 2h}\n"
        "  network: [{is: metered}, {every: day, at: 18:30, until: 07:15, is: unmetered}]\n"
        "  idle: [{every: day, at: 23:30, until: 06:15}]\n"
        f"events:\n{pushes}"
        'handlers: {"*": {takes: {exponential: 20s}, fails: 5%}}\n')

    def seconds(*options):
        begin = time.monotonic()
        subprocess.run(
            [BIN / "bgrun", "simulate", "-m", directory / "app.yaml", "-s", directory / "week.yaml",
             *options], check=True, stdout=subprocess.DEVNULL)
        return time.monotonic() - begin

    figure("a week of five apps, start to report", median([seconds() for _ in range(9)]) * 1e3,
           "ms", at_most=1_000)
    runs = 400
    one = 7 * runs / min(alone(seconds, "--runs", str(runs)) for _ in range(3))
    figure("simulated device-days, one core", one, "/s")
    figure("simulated device-days, all cores",
           7 * runs / min(seconds("--runs", str(runs)) for _ in range(3)), "/s",
           ("one core", one))


def alone(work, *arguments):
    """`work` on one processor."""
    processors = os.sched_getaffinity(0)
    os.sched_setaffinity(0, {min(processors)})
    try:
        return work(*arguments)
    finally:
        os.sched_setaffinity(0, processors)


def core(directory):
    """Only the policy: events per second of processor time. The best of three, alternating, so that other
    load of the machine affects all alike."""
    def numbers(*command):
        output = subprocess.run(command, check=True, stdout=subprocess.PIPE).stdout
        return [float(number) for number in output.split()]

    probe, simpy = BIN / "bgrun-policy-probe", OUT / "python/bin/python"
    rate, wait = 0.8, 0.8 / (1 - 0.8)
    cycles, queues, peers = [], [], []
    for _ in range(3):
        cycles.append(numbers(probe, "cycle", "100", "100000"))
        queues.append(numbers(probe, "queue", "400000", str(rate), "7"))
        peers.append(numbers(
            simpy, pathlib.Path(__file__).with_name("queue_simpy.py"), "400000", str(rate), "7"))
    few, many = (max(rates) for rates in zip(*cycles))
    figure("events, 100 requests pending", few, "1/s", at_least=3_000_000)
    figure("events, 100,000 requests pending", many, "1/s", ("at 100", few), at_least=1 / 3)
    (queue, waited), (peer_queue, peer_waited) = max(queues), max(peers)
    figure("single-server queue, SimPy", peer_queue, "1/s")
    figure("single-server queue, whole policy", queue, "1/s", ("SimPy", peer_queue), at_least=8)
    for name, mean in (("SimPy", peer_waited), ("whole policy", waited)):
        figure(f"mean wait in the queue, {name}", mean, "s", ("rho/(mu-lambda)", wait))
        # A mean of 400,000 waits has a standard deviation of 1.8 % here.
        figure(f"its deviation from theory, {name}", 100 * abs(mean / wait - 1), "%", at_most=6)


def transfers(_):
    """Downloads from a loopback nginx: the service alternates with curl and aria2; and its memory. Writes
    to memory, because only the service waits for the disk, which is not measured."""
    with tempfile.TemporaryDirectory(dir="/dev/shm") as path:
        downloads(pathlib.Path(path))


def downloads(directory):
    files, data = directory / "files", directory / "data"
    files.mkdir()
    port = free_port()
    (directory / "nginx.conf").write_text(
        f"daemon off; user root; worker_processes 1; pid {directory}/pid; error_log stderr;"
        "events { worker_connections 4096; } http { access_log off; sendfile on;"
        f"server {{ listen 127.0.0.1:{port} backlog=4096; root {files};"
        f"location /slow/ {{ alias {files}/; limit_rate 20k; }} }} }}")
    nginx = subprocess.Popen(
        ["/usr/sbin/nginx", "-p", directory, "-c", directory / "nginx.conf", "-e", "stderr"])
    try:
        wait_for_port(port)
        url = f"http://127.0.0.1:{port}"
        for count, size in ((1, 500 << 20), (10, 50 << 20), (100, 5 << 20)):
            with open(files / str(count), "wb") as file:
                for _ in range(size >> 20):
                    file.write(os.urandom(1 << 20))
            ways = {"curl": curl, "aria2": aria2, "service": service}
            rates, costs = ({name: [] for name in ways} for _ in range(2))
            for _ in range(5):
                for name, way in ways.items():
                    shutil.rmtree(data, ignore_errors=True)
                    data.mkdir()
                    before = processor_time()
                    seconds = way(directory, f"{url}/{count}", data, count)
                    assert [os.stat(data / str(n)).st_size for n in range(count)] \
                        == [size] * count, name
                    rates[name].append(count * size / seconds / 1e6)
                    costs[name].append((processor_time() - before) / (count * size) * 1e12)
            (files / str(count)).unlink()
            rate = {name: max(values) for name, values in rates.items()}
            cost = {name: min(values) for name, values in costs.items()}
            for name in ("curl", "aria2"):
                figure(f"{name}, {count} at once", rate[name], "MB/s")
                figure(f"its processor time, {count} at once", cost[name], "ms/GB")
            figure(f"transfer service, {count} at once", rate["service"], "MB/s",
                   ("curl", rate["curl"]), at_least=0.9)
            figure(f"its processor time, {count} at once", cost["service"], "ms/GB",
                   ("curl", cost["curl"]))
        (files / "small").write_bytes(os.urandom(300_000))
        memory = {count: resident(directory, f"{url}/slow/small", count) for count in (1, 1_000)}
        figure("memory of the service, 1 transfer", memory[1] / 1024, "MB")
        figure("memory of the service, 1,000 at once", memory[1_000] / 1024, "MB")
        figure("memory of one more transfer", (memory[1_000] - memory[1]) / 999, "kB", at_most=100)
    finally:
        nginx.terminate()
        nginx.wait()


def free_port():
    with socket.socket() as any_port:
        any_port.bind(("127.0.0.1", 0))
        return any_port.getsockname()[1]


def wait_for_port(port):
    while True:
        try:
            return socket.create_connection(("127.0.0.1", port)).close()
        except ConnectionRefusedError:
            time.sleep(0.01)


def curl(directory, url, data, count):
    config = directory / "curl.config"
    config.write_text("".join(f'url = "{url}"\noutput = "{data}/{n}"\n' for n in range(count)))
    return timed(["curl", "--silent", "--parallel", "--parallel-immediate", "--parallel-max", str(count),
                  "-K", config])


def aria2(directory, url, data, count):
    wishes = directory / "aria2.txt"
    wishes.write_text("".join(f"{url}\n dir={data}\n out={n}\n" for n in range(count)))
    return timed(["aria2c", "-q", "-i", wishes, "-j", str(count), "-x", "1", "-s", "1",
                  "--file-allocation=none", "--no-conf"])


def timed(command):
    begin = time.monotonic()
    subprocess.run(command, check=True, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    return time.monotonic() - begin


def processor_time():
    """The processor time in seconds of the programs that have ended."""
    usage = resource.getrusage(resource.RUSAGE_CHILDREN)
    return usage.ru_utime + usage.ru_stime


def service(directory, url, data, count):
    """The time from the start until every row has finished: synced, named, stored. Excludes the second in
    which the service waits for more transfers."""
    state = wished(directory, url, count, lambda n: str(data / str(n)))
    begin = time.time()
    subprocess.run([BIN / "bgrun-transferd", state], check=True)
    with sqlite3.connect(state / "transfers.sqlite") as database:
        ((last, whole),) = database.execute(
            "SELECT max(finished), count(*) FILTER (WHERE result = 'completed') FROM transfer")
    assert whole == count
    return last / 1e3 - begin


def wished(directory, url, count, place):
    """A state directory with `count` downloads, which may use as many connections."""
    state = directory / "state/bench"
    shutil.rmtree(state, ignore_errors=True)
    state.mkdir(parents=True, mode=0o700)
    subprocess.run([BIN / "bgrun-transferd", state], check=True)
    request = {
        "session": "bench", "direction": "download", "url": url, "headers": [],
        "isDiscretionary": False, "allowsMetered": True, "sendsLaunchEvents": False,
        "requestTimeout": 60_000_000_000, "resourceTimeout": FAR * 1_000,
        "retry": {"from": 10_000_000_000, "to": 10_000_000_000}, "verifiesServer": True,
        "connections": 10_000}
    with sqlite3.connect(state / "transfers.sqlite") as database:
        database.executemany(
            "INSERT INTO transfer (session, request, submitted, wanted) VALUES ('bench', ?, 0, 'run')",
            [(json.dumps({**request, **({"file": place(n)} if place(n) else {})}),)
             for n in range(count)])
    return state


def resident(directory, url, count):
    """The memory in kilobytes while `count` transfers run."""
    state = wished(directory, url, count, lambda n: None)
    process = subprocess.Popen([BIN / "bgrun-transferd", state])
    try:
        place = state / "service.sock"
        while not place.exists():
            time.sleep(0.01)
        with socket.socket(socket.AF_UNIX) as host:
            host.connect(str(place))
            policy = {"parallel": count, "connections": count, "meteredBudget": 0,
                      "meteredPeriod": 1}
            host.sendall(json.dumps(
                {"order": "conditions", "network": 1, "metered": 0, "power": 1,
                 "policy": policy}).encode() + b"\n")
            while True:
                with sqlite3.connect(state / "transfers.sqlite") as database:
                    ((moving,),) = database.execute(
                        "SELECT count(*) FROM transfer WHERE bytes > 0 AND result IS NULL")
                if moving == count:
                    return rollup(process.pid)["Rss"]
                time.sleep(0.05)
    finally:
        process.kill()
        process.wait()


PARTS = {
    part.__name__: part
    for part in (size, entry, throughput, expiration, once, idle, scale, simulation, core, transfers,
                 confine)}


def main():
    heading()
    for name in sys.argv[1:] or PARTS:
        with tempfile.TemporaryDirectory(dir=pathlib.Path(__file__).parents[1] / ".build") as path:
            PARTS[name](pathlib.Path(path))
    figure("load average of the last minute", os.getloadavg()[0], "processes",
           target=f"<{os.cpu_count()}")
    if missed:
        print("MISSED: " + ", ".join(missed))
        sys.exit(1)


main()
