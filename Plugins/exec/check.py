#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""exec.run against real processes."""

import os
import pathlib
import signal
import subprocess
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[2] / "Tests/PluginHarness"))
from harness import (  # noqa: E402
    HARNESS, OUT, contains, equal, expires, exports_its_entry_only, fails, main, rule, run,
    succeeds)


def shell(line, **more):
    return {"command": line, **more}


@rule("a shell line that ends with 0 succeeds and its output goes to the host line by line")
def _(_directory):
    done = succeeds("exec", "run", shell("echo one; echo two >&2"))
    equal(done.of("output"), ["one", "two"])
    equal(done.message, "exit status 0")


@rule("any other exit status fails and the message names it")
def _(_directory):
    equal(fails("exec", "run", shell("exit 7")).message, "exit status 7")


@rule("a command that a signal ends fails and the message names the signal")
def _(_directory):
    contains(fails("exec", "run", shell("kill -SEGV $$")).message, "ended by SIGSEGV")


@rule("success_codes say which exit statuses are a success")
def _(_directory):
    succeeds("exec", "run", shell("exit 3", success_codes=[0, 3]))
    fails("exec", "run", shell("exit 0", success_codes=[3]))


@rule("argv runs a program without a shell, found on the PATH, each word as it is")
def _(_directory):
    done = succeeds("exec", "run", {"argv": ["printf", "%s\n", "$HOME ; *", ""]})
    equal(done.of("output"), ["$HOME ; *", ""])


@rule("the command starts in the manifest's directory, or in the one it names below it")
def _(directory):
    (directory / "below").mkdir()
    equal(succeeds("exec", "run", shell("pwd -P"), directory=directory).of("output"),
          [str(directory.resolve())])
    done = succeeds("exec", "run", shell("pwd -P", directory="below"), directory=directory)
    equal(done.of("output"), [str(directory.resolve() / "below")])


@rule("environment adds, replaces and removes variables, and bgrun adds its own")
def _(_directory):
    line = 'echo "$A|$B|${C-removed}|$BGRUN_IDENTIFIER|$BGRUN_TRY|${BGRUN_ATTEMPT:+set}"'
    environment = {"B": "over", "C": "gone"}
    done = succeeds("exec", "run", shell(line, environment={"A": "a b", "B": "new", "C": None}),
                    environment=environment)
    equal(done.of("output"), ["a b|new|removed|com.example.harness|1|set"])


@rule("a transfer that came before is told by variables, in place of inherited ones")
def _(_directory):
    line = 'echo "$BGRUN_TRANSFER|$BGRUN_TRANSFER_FILE|${BGRUN_TRANSFER_ERROR-none}"'
    transfer = {"file": "/a b", "bytes": 3}
    done = succeeds("exec", "run", shell(line, transfer=transfer),
                    environment={"BGRUN_TRANSFER_ERROR": "old"})
    equal(done.of("output"), ['{"bytes":3,"file":"/a b"}|/a b|none'])


@rule("stdin is a file, relative to the manifest, and empty when none is named")
def _(directory):
    (directory / "in.txt").write_text("from the file\n")
    done = succeeds("exec", "run", shell("cat", stdin="in.txt"), directory=directory)
    equal(done.of("output"), ["from the file"])
    equal(succeeds("exec", "run", shell("cat")).of("output"), [])


@rule("input is the text on stdin, also when it is longer than a pipe holds")
def _(_directory):
    equal(succeeds("exec", "run", shell("cat", input="one\ntwo\n")).of("output"), ["one", "two"])
    equal(succeeds("exec", "run", shell("wc -c", input="x" * 100_000)).of("output"), ["100000"])


@rule("a pipe without a writer as stdin is empty and holds nothing up")
def _(directory):
    os.mkfifo(directory / "pipe")
    equal(succeeds("exec", "run", shell("cat", stdin="pipe"), directory=directory).of("output"), [])


@rule("the command leads a process group of its own and inherits descriptors 0 to 2 only")
def _(_directory):
    line = 'set -- $(cat /proc/$$/stat); echo "$1 $5"; ls -x /proc/$$/fd'
    group, descriptors = succeeds("exec", "run", shell(line)).of("output")
    equal(group.split()[0], group.split()[1])
    equal(descriptors.split(), ["0", "1", "2"])


@rule("the command starts with no signal blocked and none ignored")
def _(_directory):
    # glibc keeps 32 and 33 to itself and has posix_spawn ignore them.
    of_glibc = 1 << 31 | 1 << 32
    done = succeeds("exec", "run", {"argv": ["grep", "-E", "^Sig(Blk|Ign)", "/proc/self/status"]})
    for one in done.of("output"):
        equal(int(one.split()[1], 16) & ~of_glibc, 0, one)


@rule("expiration sends SIGTERM to the command and everything in its group")
def _(directory):
    line = 'trap "echo parent told; wait; exit 0" TERM; ' \
           '(trap "echo child told; exit 0" TERM; echo ready; ' \
           'while :; do sleep 60 & wait; done) & wait'
    done = expires("exec", "run", shell(line), on=["output:ready=expire"])
    equal(sorted(done.of("output")), ["child told", "parent told", "ready"])


@rule("a command that does not handle the signal is recorded as ended by it")
def _(_directory):
    done = expires("exec", "run", shell("echo ready; exec sleep 1000"),
                   on=["output:ready=expire"])
    equal(done.of("complete"), ["failure ended by SIGTERM"])


@rule("a command that finishes in its grace is reported as it finished")
def _(_directory):
    done = expires("exec", "run",
                   shell('trap "echo saved; exit 0" TERM; echo ready; '
                         'while :; do sleep 60 & wait; done'),
                   on=["output:ready=expire"])
    equal(done.of("complete"), ["success exit status 0"])


@rule("expire_signal is sent instead of SIGTERM")
def _(_directory):
    done = expires("exec", "run", shell("echo ready; exec sleep 1000", expire_signal="USR1"),
                   on=["output:ready=expire"])
    equal(done.message, "ended by SIGUSR1")


@rule("a stopped command is continued so that it can take the signal")
def _(_directory):
    line = 'trap "exit 4" TERM; ' \
           '(until grep -q "^State:.T" /proc/$$/status; do :; done; echo ready) & ' \
           'kill -STOP $$; while :; do sleep 60 & wait; done'
    done = expires("exec", "run", shell(line), on=["output:ready=expire"])
    equal(done.message, "exit status 4")


@rule("an attempt that has expired before its first line starts nothing")
def _(directory):
    done = expires("exec", "run", shell("touch started"), directory=directory,
                   on=["launch=expire"])
    equal(done.message, "expired before the command was started")
    assert not (directory / "started").exists()


# What the harness itself has open; its shell has fewer.
FEW_DESCRIPTORS = "run:prlimit --pid $PPID --nofile=5:1024"
ENOUGH_DESCRIPTORS = "run:prlimit --pid $PPID --nofile=1024:1024"


@rule("a shortage delays the command, and the log gives the reason once")
def _(_directory):
    done = succeeds("exec", "run", shell("echo ran"),
                    on=["launch=" + FEW_DESCRIPTORS, "log:waits=" + ENOUGH_DESCRIPTORS])
    equal(done.of("log"), ["warning the command waits: stdin /dev/null: Too many open files"])
    equal(done.of("shortage"), ["EMFILE"])
    equal(done.of("output"), ["ran"])
    done = succeeds("exec", "run", shell("cat", input="text"),
                    on=["launch=" + FEW_DESCRIPTORS, "log:waits=" + ENOUGH_DESCRIPTORS])
    equal(done.of("log"), ["warning the command waits: input: Too many open files"])
    equal(done.of("output"), ["text"])


@rule("a command that starts at once reports no shortage")
def _(_directory):
    equal(succeeds("exec", "run", shell("true")).of("shortage"), [])


@rule("a shortage that lasts is reported to the host, whose request remains")
def _(directory):
    done = expires("exec", "run", shell("touch started"), directory=directory,
                   on=["launch=" + FEW_DESCRIPTORS, "log:waits=expire",
                       "complete=" + ENOUGH_DESCRIPTORS])
    equal(done.message, "expired before the command was started: stdin /dev/null: "
                        "Too many open files")
    equal(done.of("shortage"), ["EMFILE"])
    assert not (directory / "started").exists()


@rule("a warm worker runs one command after the other and keeps nothing of the last")
def _(_directory):
    done = run("exec", "run", shell('echo "$BGRUN_TRY"'), runs=20)
    equal(done.of("output"), [str(number) for number in range(1, 21)])
    equal(done.of("left"), [])


@rule("a worker that ignores SIGCHLD costs the exit status, not the attempt")
def _(_directory):
    before = signal.signal(signal.SIGCHLD, signal.SIG_IGN)
    try:
        # subprocess would lose the harness's own status the same way: its report tells enough.
        done = subprocess.run(
            [HARNESS, "-p", '{"command": "exit 0"}', OUT / "libbgrun-exec.so", "run"],
            stdout=subprocess.PIPE, text=True)
    finally:
        signal.signal(signal.SIGCHLD, before)
    contains(done.stdout, "complete failure the command ended, its exit status is not known")


@rule("parameters that cannot be used are refused with what to write instead")
def _(directory):
    (directory / "file").write_text("")
    cases = [
        ({}, "either command"),
        ({"command": "true", "argv": ["true"]}, "either command"),
        ({"argv": []}, "must name a program"),
        ({"argv": ["echo", 5]}, "word 2 must be a text"),
        ({"command": 5}, "command: must be a text"),
        ({"comand": "true"}, 'unknown key "comand"; known: command'),
        (shell("true", success_codes=[256]), "from 0 to 255"),
        (shell("true", success_codes=[]), "at least one"),
        (shell("true", expire_signal="KILL"), "one of TERM, INT"),
        (shell("true", environment={"A": 1}), "A must be a text"),
        (shell("true", environment={"A=B": "1"}), "not the name of a variable"),
        (shell("true", directory="nowhere"), "nowhere: No such file or directory"),
        (shell("true", directory="file"), "file: Not a directory"),
        (shell("true", stdin="nowhere"), "nowhere: No such file or directory"),
        (shell("true", stdin="file", input="text"), "either stdin: a file or input"),
        ({"argv": ["no-such-program-anywhere"]}, "cannot run no-such-program-anywhere"),
        ("[1]", "must be a mapping"),
        ("{", "not JSON"),
    ]
    for parameters, expected in cases:
        contains(fails("exec", "run", parameters, directory=directory).message, expected)


exports_its_entry_only("exec")
main()
