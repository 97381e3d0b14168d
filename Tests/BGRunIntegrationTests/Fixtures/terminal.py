#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""Runs a program on a terminal of its own, and tells what it shows.

    terminal.py ROWSxCOLUMNS STEP... -- PROGRAM ARGUMENT...

Steps, one after the other:
    see:TEXT          waits until the screen shows TEXT
    gone:TEXT         waits until it no longer does
    key:TEXT          types TEXT; \\e is the escape key, \\r the enter key
    size:ROWSxCOLUMNS makes the terminal as large; every line must fit
    signal:NAME       sends SIGNAME
    stopped           waits until the program is stopped, and the terminal is as it was before
    continue          continues it
    run:COMMAND       runs a line of the shell
    print             prints the screen
    end:CODE          waits for its end with that code, or the signal -CODE; the terminal must be as
                      it was before: its settings, the cursor, and what stood on it

Waits end with the test that waits, or after a minute.
"""
import fcntl
import os
import pty
import re
import select
import signal
import struct
import subprocess
import sys
import termios
import time


class Screen:
    """What a terminal shows that is sent a few sequences only."""

    SEQUENCE = re.compile(r"\x1b\[(\??)([\d;]*)([A-Za-z])|[^\x1b]|\x1b$")

    def __init__(self, rows, columns):
        self.modes = {1049: False, 25: True, 7: True}
        self.resize(rows, columns)

    def resize(self, rows, columns):
        self.rows, self.columns = rows, columns
        self.lines = [" " * columns for _ in range(rows)]
        self.row = self.column = 0
        self.overflows = False

    def feed(self, text):
        for match in self.SEQUENCE.finditer(text):
            private, numbers, final = match.groups()
            if final is None:
                self.put(match.group(0))
            elif private:
                self.modes[int(numbers)] = final == "h"
            elif final == "H":
                row, column = (numbers or "1;1").split(";")
                self.row, self.column = int(row) - 1, int(column) - 1
            elif final == "K":
                self.change(" " * (self.columns - self.column))
            elif final == "J":
                self.resize(self.rows, self.columns)
            elif final != "m":
                sys.exit(f"an unknown sequence: {match.group(0)!r}")

    def put(self, character):
        if character == "\r":
            self.column = 0
        elif character == "\n":
            self.row = min(self.row + 1, self.rows - 1)
        elif self.column >= self.columns or self.row >= self.rows:
            self.overflows = True
        else:
            self.change(character)
            self.column += 1

    def change(self, text):
        if self.row >= self.rows:
            self.overflows = True
            return
        line = self.lines[self.row]
        end = self.column + len(text)
        self.lines[self.row] = (line[: self.column] + text + line[end:])[: self.columns]

    def text(self):
        return "\n".join(line.rstrip() for line in self.lines)


class Program:
    def __init__(self, size, command):
        self.screen = Screen(*size)
        ready, go = os.pipe()
        self.pid, self.terminal = pty.fork()
        if self.pid == 0:
            os.read(ready, 1)
            os.execv(command[0], command)
        self.set_size(*size)
        self.before = self.settings()
        os.write(go, b"!")
        self.rest = b""
        self.status = None
        self.deadline = time.monotonic() + 60

    def settings(self):
        return termios.tcgetattr(self.terminal)[:6]

    def set_size(self, rows, columns):
        fcntl.ioctl(self.terminal, termios.TIOCSWINSZ, struct.pack("HHHH", rows, columns, 0, 0))
        self.screen.resize(rows, columns)

    def read(self):
        """Takes what the program has written; waits for a while when it has written nothing."""
        ready, _, _ = select.select([self.terminal], [], [], 0.05)
        if not ready:
            return
        try:
            data = self.rest + os.read(self.terminal, 65536)
        except OSError:
            return
        # A character, or a sequence, may be cut in two.
        cut = max(data.rfind(b"\x1b"), len(data) - 4)
        whole = data
        self.rest = b""
        if re.search(rb"\x1b(\[[\d;?]*)?$", data[cut:]):
            whole, self.rest = data[: data.rfind(b"\x1b")], data[data.rfind(b"\x1b"):]
        for length in range(4):
            try:
                text = whole[: len(whole) - length].decode()
                self.rest = whole[len(whole) - length:] + self.rest
                break
            except UnicodeDecodeError:
                continue
        else:
            sys.exit(f"no UTF-8: {whole!r}")
        self.screen.feed(text)
        if self.screen.overflows:
            self.fail("it writes beyond the edge")

    def until(self, what, is_true):
        while not is_true():
            if time.monotonic() > self.deadline:
                self.fail(f"in vain: {what}")
            self.read()

    def wait(self, options):
        pid, status = os.waitpid(self.pid, options | os.WNOHANG)
        if pid:
            self.status = status
        return pid != 0

    def step(self, step):
        word, _, value = step.partition(":")
        if word == "see":
            self.until(step, lambda: value in self.screen.text())
        elif word == "gone":
            self.until(step, lambda: value not in self.screen.text())
        elif word == "key":
            os.write(self.terminal, value.replace("\\e", "\x1b").replace("\\r", "\r").encode())
        elif word == "size":
            self.set_size(*size(value))
        elif word == "signal":
            os.kill(self.pid, getattr(signal, "SIG" + value))
        elif word == "stopped":
            self.until(step, lambda: self.wait(os.WUNTRACED) and os.WIFSTOPPED(self.status))
            self.check_restored()
        elif word == "continue":
            os.kill(self.pid, signal.SIGCONT)
        elif word == "run":
            subprocess.run(["/bin/sh", "-c", value], check=True)
        elif word == "print":
            print(self.screen.text())
        elif word == "end":
            self.until(step, lambda: self.wait(0))
            code = os.waitstatus_to_exitcode(self.status)
            if code != int(value):
                self.fail(f"it ended with {code}")
            self.check_restored()
        else:
            sys.exit(f"no such step: {step}")

    def check_restored(self):
        # What it wrote last may still be on its way.
        normal = {1049: False, 25: True, 7: True}
        self.until("the terminal as it was", lambda: self.screen.modes == normal)
        if self.settings() != self.before:
            self.fail("the terminal has other settings than before")

    def fail(self, reason):
        try:
            os.kill(self.pid, signal.SIGKILL)
        except ProcessLookupError:
            pass
        sys.exit(f"{reason}\n{self.screen.text()}")


def size(text):
    rows, columns = text.split("x")
    return int(rows), int(columns)


def main():
    split = sys.argv.index("--")
    program = Program(size(sys.argv[1]), sys.argv[split + 1:])
    for step in sys.argv[2:split]:
        program.step(step)


main()
