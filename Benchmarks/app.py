# SPDX-License-Identifier: Apache-2.0
"""An app under bgrun, in a separate directory."""

import contextlib
import json
import os
import pathlib
import socket
import sqlite3
import subprocess
import time

ROOT = pathlib.Path(__file__).resolve().parents[1]
BIN = pathlib.Path(os.environ.get("BGRUN_BIN", ROOT / ".build/release"))
OUT = ROOT / ".build/benchmarks"

MANIFEST = """\
bgrun: 1
app: bench
modes: [processing]
permitted_identifiers: [bench.nothing.*, bench.other.*, bench.rested.*,
  bench.waiting.*, bench.stubborn.*, bench.many.*]
plugins: {{benchmark: {plugin}}}
policy: {{profile: server, concurrent_attempts: {concurrent}, warm_idle: 1h, {policy}}}
confine: {confine}
tasks:
  bench.nothing.*: {{kind: processing, handler: benchmark.nothing}}
  bench.rested.*: {{kind: processing, handler: benchmark.nothing}}
  bench.other.*: {{kind: processing, handler: benchmark.nothing}}
  bench.waiting.*: {{kind: processing, handler: benchmark.waiting}}
  bench.many.*:
    kind: processing
    handler: benchmark.many
    expiration: {{after: 2s, grace: 100ms}}
  bench.stubborn.*:
    kind: processing
    handler: benchmark.stubborn
    expiration: {{after: 1s, grace: 100ms}}
"""

STORE = """\
WITH RECURSIVE number(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM number WHERE n < ?)
INSERT INTO request
    (identifier, id, kind, submitted, earliest, parameters, failures, interruptions)
SELECT printf('%s.%07d', ?, n), n + (SELECT value FROM fact WHERE name = 'next-request'),
    'processing', ?, ?, NULL, 0, 0 FROM number
"""


class App:
    def __init__(self, directory, concurrent=1, policy="grace: 1s", confine="none"):
        self.directory = pathlib.Path(directory)
        self.directory.mkdir(parents=True)
        self.manifest = self.directory / "app.yaml"
        self.manifest.write_text(
            MANIFEST.format(plugin=OUT / "benchmark.so", concurrent=concurrent, policy=policy,
                            confine=confine))
        self.state = self.directory / "state/bench"
        self.bgrun("run", "--once")

    def command(self, verb, *arguments):
        where = ["--manifest", str(self.manifest), "--state", str(self.state.parent)]
        quiet = ["--quiet"] if verb == "run" else []
        return [str(BIN / "bgrun"), verb, *where, *quiet, *arguments]

    def bgrun(self, verb, *arguments, **options):
        return subprocess.run(
            self.command(verb, *arguments), check=True, stdout=subprocess.PIPE, **options).stdout

    def store(self, count, family, earliest=None):
        """Puts requests into the database, as if they had been submitted long ago."""
        with contextlib.closing(sqlite3.connect(self.state / "bgrun.sqlite")) as database:
            with database:
                database.execute(STORE, (count, family, 1, earliest))
        # The written data must not slow the next measurement.
        os.sync()

    def rows(self, sql):
        with contextlib.closing(sqlite3.connect(self.state / "bgrun.sqlite")) as database:
            return database.execute(sql).fetchall()

    def entries(self, family="bench.nothing"):
        """Launch to entry of each attempt in its order, nanoseconds."""
        return [row[0] for row in self.rows(
            f"SELECT entered FROM history WHERE identifier LIKE '{family}.%'"
            " AND outcome = 'completed' ORDER BY attempt")]

    @contextlib.contextmanager
    def host(self, **environment):
        process = subprocess.Popen(
            self.command("run", "--stay"), env=environment or None,
            stderr=open(self.directory / "host.log", "a"))
        try:
            yield Host(process, self.state / "control.sock")
        finally:
            process.terminate()
            process.wait()


class Host:
    """A running host and a connection to it."""

    def __init__(self, process, path):
        self.pid = process.pid
        self.socket = socket.socket(socket.AF_UNIX)
        begin = time.monotonic()
        while True:
            try:
                self.socket.connect(str(path))
                break
            except OSError:
                if time.monotonic() > begin + 60 or process.poll() is not None:
                    raise
                time.sleep(0.001)
        self.answers = self.socket.makefile("r")
        self.ask("running")

    def ask(self, command, **arguments):
        line = json.dumps({"command": command, **arguments}) + "\n"
        self.socket.sendall(line.encode())
        answer = json.loads(self.answers.readline())
        if "problem" in answer:
            raise RuntimeError(answer["problem"]["message"])
        return answer

    def timed(self, command, **arguments):
        """Nanoseconds from request to answer."""
        begin = time.monotonic_ns()
        self.ask(command, **arguments)
        return time.monotonic_ns() - begin

    def wait_until_idle(self):
        while self.ask("running")["running"]:
            time.sleep(0.0005)

    def workers(self):
        children = pathlib.Path(f"/proc/{self.pid}/task/{self.pid}/children").read_text()
        return [int(pid) for pid in children.split()]
