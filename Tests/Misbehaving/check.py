#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Each misbehaving plugin has the fault in its name. The host's reaction is tested with the host."""

import os
import pathlib
import resource
import signal
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "Tests/PluginHarness"))
from harness import HARNESS, contains, equal, main, rule, run  # noqa: E402

FIXTURES = pathlib.Path(os.environ["MISBEHAVING"]).resolve()
tried = set()


def fixture(name, **named):
    tried.add(name)
    return run(FIXTURES / f"{name}.so", "run", **named)


def start(name, *options, **named):
    """Starts a fixture in a new session; its report can be read while it runs."""
    tried.add(name)
    return subprocess.Popen([HARNESS, "-r", *options, FIXTURES / f"{name}.so", "run"],
                            stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, text=True,
                            start_new_session=True, **named)


def read_until(process, text):
    for line in process.stdout:
        if text in line:
            return line
    raise AssertionError(f"ended without {text!r}")


def ignores_sigterm(pid):
    status = pathlib.Path(f"/proc/{pid}/status").read_text()
    return int(status.split("SigIgn:")[1].split()[0], 16) & 1 << signal.SIGTERM - 1 != 0


@rule("crashes end the process by their signal")
def _(_directory):
    for name, number in (("segfault", signal.SIGSEGV), ("abort", signal.SIGABRT),
                         ("throws", signal.SIGABRT), ("constructor-crashes", signal.SIGSEGV),
                         ("null-init", signal.SIGSEGV)):
        equal(fixture(name).status, -number, name)


@rule("exits end the process with their status and no completion")
def _(_directory):
    for status in (0, 3):
        done = fixture(f"exit-{status}")
        equal(done.status, status)
        equal(done.of("complete"), [])


@rule("endless ones are told to expire and continue; SIGTERM ends those that do not ignore it")
def _(_directory):
    for name, line in (("endless-loop", "expire returned"),
                       ("expire-never-returns", "stuck in expire"),
                       ("ignores-expiration", "expire returned")):
        process = start(name, "-o", "log=expire")
        read_until(process, line)
        ignores = ignores_sigterm(process.pid)
        equal(ignores, name == "ignores-expiration")
        process.send_signal(signal.SIGKILL if ignores else signal.SIGTERM)
        equal(process.wait(), -signal.SIGKILL if ignores else -signal.SIGTERM, name)


@rule("launch returns and nothing completes the task")
def _(_directory):
    equal(fixture("never-completes").status, 3)


@rule("init never returns")
def _(_directory):
    process = start("init-hangs")
    read_until(process, "plugin misbehaving")
    read_until(process, "log info in init")
    process.kill()
    equal(process.wait(), -signal.SIGKILL)


@rule("a process that stops itself is stopped, and SIGKILL still ends it")
def _(_directory):
    process = start("stops-itself")
    _, status = os.waitpid(process.pid, os.WUNTRACED)
    assert os.WIFSTOPPED(status)
    process.kill()
    equal(process.wait(), -signal.SIGKILL)


@rule("the daemon outlives its attempt in another session and ignores SIGTERM")
def _(_directory):
    done = fixture("daemonizes", raw=True)
    equal(done.status, 0)
    daemon = int(done.of("log")[0].split()[-1])
    try:
        assert ignores_sigterm(daemon)
        assert os.getsid(daemon) != os.getsid(0)
    finally:
        os.kill(daemon, signal.SIGKILL)


@rule("the child in a session of its own outlives its worker")
def _(_directory):
    process = start("setsid-child")
    child = int(read_until(process, "child").split()[-1])
    process.kill()
    process.wait()
    try:
        equal(os.getsid(child), child)
        assert ignores_sigterm(child)
    finally:
        os.kill(child, signal.SIGKILL)


def members(group):
    """The number of processes in a process group."""
    count = 0
    for path in pathlib.Path("/proc").glob("[0-9]*/stat"):
        try:
            count += path.read_text().rsplit(")", 1)[1].split()[2] == str(group)
        except OSError:
            pass  # it ended meanwhile
    return count


@rule("the forty sleepers are there when launch returns")
def _(_directory):
    process = start("twenty-sleepers")
    read_until(process, "never completed")
    equal(process.wait(), 3)
    equal(members(process.pid), 40)
    os.killpg(process.pid, signal.SIGKILL)


@rule("the worker's own descriptors are closed")
def _(_directory):
    done = fixture("closes-descriptors", raw=True)
    contains(done.lines[-1], "closing everything")


@rule("ten million lines come, on stdout and through log")
def _(_directory):
    for name in ("floods-stdout", "floods-log"):
        process = start(name)
        count = sum(1 for _ in process.stdout)
        assert count > 10_000_000, count
        equal(process.wait(), 0)


@rule("one line of 100 MB comes")
def _(_directory):
    process = start("endless-line")
    longest = max(len(line) for line in process.stdout)
    assert longest >= 100 << 20, longest
    equal(process.wait(), 0)


@rule("memory is eaten until a limit ends it")
def _(_directory):
    def limit():
        resource.setrlimit(resource.RLIMIT_AS, (1 << 29, 1 << 29))
        resource.setrlimit(resource.RLIMIT_CORE, (0, 0))

    process = start("eats-memory", preexec_fn=limit)
    read_until(process, "allocating")
    equal(process.wait(), -signal.SIGABRT)


@rule("what a plugin says it keeps is kept once and found again")
def _(_directory):
    for name in ("keeps-thread", "keeps-descriptor"):
        done = fixture(name, runs=3)
        equal(done.of("complete"),
              ["success a new process", "success the same process", "success the same process"])
        equal(len(done.of("left")), 1)


@rule("a signal that was made harmless stays so for the next attempt of the process")
def _(_directory):
    done = fixture("changes-signals", runs=2)
    equal(done.of("complete"), ["success SIGTERM ends it", "success SIGTERM is ignored"])


@rule("a daemon holds the output open after its attempt")
def _(_directory):
    process = start("daemon-holds-output")
    daemon = int(read_until(process, "daemon").split()[-1])
    try:
        read_until(process, "exit 0")
        equal(process.wait(), 0)
        ours = os.readlink(f"/proc/self/fd/{process.stdout.fileno()}")
        equal(os.readlink(f"/proc/{daemon}/fd/1"), ours)
    finally:
        os.kill(daemon, signal.SIGKILL)


@rule("garbage goes to every descriptor the process has")
def _(_directory):
    tried.add("garbage-on-channel")
    ours, theirs = os.pipe()
    process = subprocess.Popen([HARNESS, "-r", FIXTURES / "garbage-on-channel.so", "run"],
                               stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL,
                               pass_fds=[theirs])
    equal(os.read(ours, 4096), b"\xee" * 4096)
    process.kill()
    equal(process.wait(), -signal.SIGKILL)


@rule("an attempt completes and launch, or a thread of it, stays")
def _(_directory):
    for name, line in (("completes-and-stays", "complete success"),
                       ("thread-never-completes", "launch returned")):
        process = start(name)
        read_until(process, line)
        equal(process.poll(), None)
        process.kill()
        equal(process.wait(), -signal.SIGKILL)


@rule("leaks are left behind")
def _(_directory):
    equal(fixture("leaks-descriptor").of("left"), ["1 descriptors"])
    equal(fixture("leaks-thread").of("left"), ["1 threads"])
    equal(fixture("leaks-assertion").of("left"), ["1 assertions"])


@rule("plugins that cannot be used are refused for their own reason")
def _(_directory):
    for name, reason in (("missing-entry", "no entry"),
                         ("null-entry", "the entry returned NULL"),
                         ("wrong-abi", "another ABI version"),
                         ("small-struct", "struct_size is too small"),
                         ("init-fails", "init failed"), ("no-handlers", "no handlers")):
        done = fixture(name)
        equal(done.status, 65, name)
        equal(done.of("refused"), [reason])


@rule("calls that come late, twice or wrong are made and answered as the ABI says")
def _(directory):
    contains(" ".join(fixture("completes-twice").lines), "second refused")
    equal(fixture("completes-after-expiry", on=["log=expire"]).of("complete"),
          ["success finished all the same"])
    equal(fixture("stale-task", runs=3).of("complete"),
          ["success stale handles were refused"] * 3)
    equal(fixture("large-checkpoint", checkpoint=directory / "checkpoint").status, 0)
    # The harness checks only the fields that it uses.
    equal(fixture("bad-transfers").of("complete"), ["failure 1 of 10 refused"])
    for name in ("completes-on-thread", "registers-late", "duplicate-handler", "newer-minor",
                 "asks-app", "bad-handlers", "unpermitted-submit", "unknown-extension",
                 "eats-stdin", "huge-values", "invalid-utf8"):
        equal(fixture(name).status, 0, name)


@rule("a process that was changed stays changed for the attempt that comes after")
def _(_directory):
    first, second = fixture("changes-process", runs=2).of("complete")
    contains(first, "CHANGED unset")
    contains(second, "directory /proc umask 777 SIGUSR1 blocked")
    contains(second, "CHANGED yes")


@rule("the whole group gets SIGTERM")
def _(_directory):
    equal(start("signals-group").wait(), -signal.SIGTERM)


@rule("none of the bad files can be loaded, except those that only a check before can refuse")
def _(_directory):
    bad = FIXTURES / "bad"
    loadable = ("executable.so", "writable.so")
    equal(len(list(bad.glob("*.so"))), 12)
    for path in sorted(bad.glob("*.so")):
        if path.name == "fifo.so":
            assert path.is_fifo()
        elif path.name not in loadable:
            # Half a library can be mapped, but the dynamic linker accesses its missing pages.
            expected = -signal.SIGBUS if path.name == "truncated.so" else 65
            equal(run(path, "run").status, expected, path.name)
    equal(run(bad / "writable.so", "run").status, 0)


@rule("every fixture is tried here")
def _(_directory):
    equal({path.stem for path in FIXTURES.glob("*.so")} - tried, set())


main()
