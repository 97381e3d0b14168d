# SPDX-License-Identifier: Apache-2.0
"""What processes use, and how long they take to end."""

import pathlib
import re
import signal
import subprocess
import time


def ticks(pid):
    fields = pathlib.Path(f"/proc/{pid}/stat").read_text().rsplit(")", 1)[1].split()
    return int(fields[11]) + int(fields[12])


def rollup(pid):
    text = pathlib.Path(f"/proc/{pid}/smaps_rollup").read_text()
    return {name: int(value) for name, value in re.findall(r"^(\w+): +(\d+) kB", text, re.M)}


def children(pid):
    text = pathlib.Path(f"/proc/{pid}/task/{pid}/children").read_text()
    return [int(child) for child in text.split()]


def wake_ups(trace, pids, seconds):
    """The system calls of these processes, except for those in which they wait."""
    attached = [argument for pid in pids for argument in ("-p", str(pid))]
    tracer = subprocess.Popen(
        ["strace", "-f", "-q", "-o", str(trace), *attached], stderr=subprocess.DEVNULL)
    time.sleep(seconds)
    tracer.send_signal(signal.SIGINT)
    tracer.wait()
    # strace shows calls that began before it attached as the call in which the process waits, and unfinished
    # if another process has a line before its end.
    waits = "strace|epoll_wait\\(|--- stopped|detached|restart_syscall"
    calls, seen = [], set()
    for line in trace.read_text().splitlines():
        pid = line.split()[0]
        if not re.search(waits, line) and (pid in seen or not line.endswith("<unfinished ...>")):
            calls.append(line)
        seen.add(pid)
    return calls


def expire(host, identifier, witness, wait):
    """Runs a handler that does not stop until it is killed; `wait` is termination_wait. Nanoseconds from its
    deadline until it is told, and from the moment when SIGKILL is due until its last process is dead."""
    host.ask("submit", identifier=identifier)
    with open(witness) as pipe:
        facts = dict(line.split() for line in pipe)
    now = time.clock_gettime_ns(time.CLOCK_BOOTTIME)
    host.wait_until_idle()
    return (int(facts["told"]) - int(facts["deadline"]), now - int(facts["terminate"]) - wait)
