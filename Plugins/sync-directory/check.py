#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""sync-directory against real directory trees."""

import os
import pathlib
import random
import stat
import sys
import time

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[2] / "Tests/PluginHarness"))
from harness import (  # noqa: E402
    contains, equal, expires, exports_its_entry_only, fails, main, rule, run, succeeds)

MIB = 1 << 20


def tree(directory, files=40, seed=1):
    """A source with files of many sizes in nested directories, links, modes and odd names."""
    chance = random.Random(seed)
    root = directory / "from"
    for number in range(files):
        path = root / f"d{number % 3}" / f"e{number % 5}" / f"file {number}"
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(chance.randbytes(chance.choice((0, 1, 4095, 4096, 70000))))
        path.chmod(chance.choice((0o644, 0o600, 0o755, 0o444)))
        os.utime(path, ns=(0, chance.randrange(10**18)))
    (root / "empty").mkdir()
    (root / "odd \n\t'\" name").write_text("odd")
    (root / ("x" * 255)).write_text("the longest name")
    os.symlink("d0/e0", root / "link")
    os.symlink("/nowhere/at all", root / "dangling")
    (root / "sealed").mkdir()
    (root / "sealed" / "inside").write_text("in a read-only directory")
    (root / "sealed").chmod(0o555)
    return root


def facts(root):
    """What a copy must keep: names, kinds, contents, modes, times, targets of links."""
    found = {}
    for path in sorted(root.rglob("*")):
        status = path.lstat()
        what = (os.readlink(path) if path.is_symlink() else
                path.read_bytes() if path.is_file() else "directory")
        mode = None if path.is_symlink() else stat.S_IMODE(status.st_mode)
        found[str(path.relative_to(root))] = (what, mode, status.st_mtime_ns)
    return found


def inodes(root):
    return {str(path): path.lstat().st_ino for path in root.rglob("*")
            if not stat.S_ISDIR(path.lstat().st_mode)}


def copy(directory, expect=succeeds, on=(), checkpoint=True, **parameters):
    parameters = {"from": "from", "to": "to", **parameters}
    return expect("sync-directory", "copy", parameters, directory=directory, on=on,
                  checkpoint=directory / "checkpoint" if checkpoint else None)


@rule("a copy has the same names, contents, modes, times and links")
def _(directory):
    root = tree(directory)
    copy(directory)
    equal(facts(directory / "to"), facts(root))


@rule("fsync and missing parents of the destination change nothing in the result")
def _(directory):
    root = tree(directory)
    copy(directory, to="a/b/to", fsync=True)
    equal(facts(directory / "a/b/to"), facts(root))


@rule("a second copy touches no file and says that it copied nothing")
def _(directory):
    tree(directory)
    copy(directory)
    before = inodes(directory / "to")
    contains(copy(directory).message, "0 copied (0 bytes), 0 removed")
    equal(inodes(directory / "to"), before)


@rule("only what changed is copied again, and a changed mode is set without a copy")
def _(directory):
    root = tree(directory)
    copy(directory)
    before = inodes(directory / "to")
    (root / "d0/e0/file 0").write_bytes(b"new")
    (root / "d1/e1/file 1").chmod(0o640)
    os.unlink(root / "link")
    os.symlink("elsewhere", root / "link")
    contains(copy(directory).message, "2 copied (3 bytes)")
    equal(facts(directory / "to"), facts(root))
    after = inodes(directory / "to")
    changed = {pathlib.Path(path).name for path in after if after[path] != before[path]}
    equal(changed, {"file 0", "link"})


@rule("what the source lost stays, and goes with delete: true, without leaving the tree")
def _(directory):
    root = tree(directory)
    outside = directory / "outside"
    outside.mkdir()
    (outside / "precious").write_text("precious")
    copy(directory)
    (directory / "to/extra/deep").mkdir(parents=True)
    (directory / "to/extra/deep/file").write_text("x")
    os.symlink(outside, directory / "to/way out")
    (root / "odd \n\t'\" name").unlink()
    contains(copy(directory).message, "0 removed")
    contains(copy(directory, delete=True).message, "3 removed")
    equal(facts(directory / "to"), facts(root))
    equal((outside / "precious").read_text(), "precious")


@rule("an empty source does not empty the destination")
def _(directory):
    tree(directory)
    copy(directory)
    (directory / "unmounted").mkdir()
    before = facts(directory / "to")
    done = copy(directory, fails, **{"from": "unmounted", "delete": True})
    contains(done.message, "is it mounted")
    equal(facts(directory / "to"), before)


@rule("a link at the destination is never followed out of it")
def _(directory):
    root = tree(directory)
    outside = directory / "outside"
    outside.mkdir()
    (directory / "to").mkdir()
    os.symlink(outside, directory / "to/d0")
    (outside / "target").write_text("untouched")
    os.symlink(outside / "target", directory / "to" / ("x" * 255))
    done = copy(directory, fails)
    contains(done.message, "1 entries failed, the first: d0: the destination holds something")
    equal([path.name for path in outside.iterdir()], ["target"])
    equal((outside / "target").read_text(), "untouched")
    copy(directory, delete=True)
    equal(facts(directory / "to"), facts(root))
    equal([path.name for path in outside.iterdir()], ["target"])


@rule("a file where a directory was, and the other way round, is an error without delete")
def _(directory):
    root = tree(directory)
    copy(directory)
    (directory / "to/empty").rmdir()
    (directory / "to/empty").write_text("a file")
    (directory / "to" / ("x" * 255)).unlink()
    (directory / "to" / ("x" * 255)).mkdir()
    contains(copy(directory, fails).message, "2 entries failed")
    copy(directory, delete=True)
    equal(facts(directory / "to"), facts(root))


@rule("exclude keeps names and paths out, and keeps what the destination has of them")
def _(directory):
    root = tree(directory)
    (directory / "to").mkdir()
    (directory / "to/keep.log").write_text("kept")
    (root / "a.log").write_text("log")
    copy(directory, delete=True, exclude=["*.log", "d1/e1", "sealed"])
    names = set(facts(directory / "to"))
    assert "keep.log" in names and "a.log" not in names and "sealed" not in names
    assert not any(name.startswith("d1/e1") for name in names) and "d1/e2" in names


@rule("progress counts bytes, never goes back, and ends at its total")
def _(directory):
    tree(directory)
    shown = [tuple(map(int, line.split("/"))) for line in copy(directory).of("progress")]
    equal(shown, sorted(shown))
    equal(shown[-1][0], shown[-1][1])
    equal(shown[-1][1], sum(len(one[0]) for name, one in facts(directory / "from").items()
                            if isinstance(one[0], bytes)))


@rule("a rate bounds what is copied a second, and a stop is still noticed at once")
def _(directory):
    root = directory / "from"
    root.mkdir()
    (root / "data").write_bytes(bytes(500_000))
    began = time.monotonic()
    copy(directory, rate="1M")
    took = time.monotonic() - began
    assert took >= 500_000 / MIB, took
    equal(facts(directory / "to"), facts(root))
    (root / "data").write_bytes(bytes(MIB))
    began = time.monotonic()
    contains(copy(directory, expires, on=["progress#3=expire"], rate="16K").message, "stopped")
    assert time.monotonic() - began < 30


def big(directory, mebibytes=24):
    root = directory / "from"
    root.mkdir()
    (root / "big").write_bytes(random.Random(2).randbytes(mebibytes * MIB))
    (root / "small").write_text("small")
    return root


@rule("expiration in a large file keeps its part, and the next attempt continues in its middle")
def _(directory):
    root = big(directory)
    done = copy(directory, expires, on=["progress#6=expire"])
    contains(done.message, "; the next attempt continues there")
    parts = [path for path in (directory / "to").iterdir()]
    equal([path.name[:15] for path in parts], [".bgrun-partial-"])
    kept = parts[0].stat().st_size
    assert 0 < kept < 24 * MIB, kept
    done = copy(directory)
    equal(int(done.of("progress")[0].split("/")[0]), kept)
    equal(facts(directory / "to"), facts(root))
    contains(done.message, f"({24 * MIB + 5} bytes)")


@rule("a kill at any checkpoint leaves no half file under its name and the next attempt finishes")
def _(directory):
    root = big(directory)
    for _ in range(5):
        dead = copy(directory, run, on=["checkpoint#1=kill"], checkpoint_every="4M")
        equal(dead.status, -9)
        assert not (directory / "to/big").exists()
    done = copy(directory, checkpoint_every="4M")
    equal(int(done.of("progress")[0].split("/")[0]), 20 * MIB)
    equal(facts(directory / "to"), facts(root))


@rule("a part of a file that has changed since is not used")
def _(directory):
    root = big(directory)
    copy(directory, expires, on=["progress#6=expire"])
    (root / "big").write_bytes(random.Random(3).randbytes(20 * MIB))
    done = copy(directory)
    equal(done.of("progress")[0].split("/")[0], "0")
    equal(facts(directory / "to"), facts(root))


@rule("a file that changes while it is copied is not put in place")
def _(directory):
    root = big(directory)
    done = copy(directory, fails, on=[f"progress#3=run:echo more >> '{root}/big'"])
    contains(done.message, "big: changed while it was copied")
    equal([path.name for path in (directory / "to").iterdir()], ["small"])
    copy(directory)
    equal(facts(directory / "to"), facts(root))


@rule("a file that vanishes while others are copied is not an error")
def _(directory):
    root = big(directory)
    copy(directory, on=[f"progress#3=run:rm '{root}/small'"])
    equal(facts(directory / "to"), facts(root))


@rule("the host's wish to defer is followed in the middle of a file")
def _(directory):
    big(directory)
    contains(copy(directory, fails, on=["progress#3=defer"]).message, "the next attempt continues")


@rule("a partial copy that no attempt will finish is removed")
def _(directory):
    root = big(directory)
    copy(directory, expires, on=["progress#6=expire"])
    (root / "big").unlink()
    copy(directory)
    equal(facts(directory / "to"), facts(root))


@rule("a file that cannot be written is told, and all others are copied")
def _(directory):
    root = tree(directory)
    (directory / "to/d1").mkdir(parents=True)
    (directory / "to/d1/e1").write_text("a file where a directory belongs")
    contains(copy(directory, fails).message, "1 entries failed, the first: d1/e1")
    missing = set(facts(root)) - set(facts(directory / "to"))
    assert missing and all(name.startswith("d1/e1/") for name in missing), missing


@rule("pipes, sockets and devices are left out and counted")
def _(directory):
    root = tree(directory)
    os.mkfifo(root / "fifo")
    contains(copy(directory).message, "1 special files left out")
    assert not (directory / "to/fifo").exists()


@rule("trees that overlap are refused before anything is written")
def _(directory):
    tree(directory)
    before = facts(directory / "from")
    for source, target in (("from", "from"), ("from", "from/empty"), ("from/d0", "from")):
        done = copy(directory, fails, **{"from": source, "to": target, "delete": True})
        contains(done.message, "lies inside of")
    equal(facts(directory / "from"), before)


@rule("a warm worker copies again and again and keeps nothing open")
def _(directory):
    tree(directory)
    done = run("sync-directory", "copy", {"from": "from", "to": "to"}, directory=directory, runs=5)
    equal(len(done.of("complete")), 5)
    equal(done.of("left"), [])


def backups(directory, count=10):
    """Files that are 0, 1, 2, ... days old, and one hour more."""
    (directory / "b/sub").mkdir(parents=True)
    for day in range(count):
        path = directory / f"b/backup-{day}.tar"
        path.write_bytes(b"x" * 100)
        moment = time.time() - day * 86400 - 3600
        os.utime(path, (moment, moment))
    for name in ("b/notes.txt", "b/sub/backup-old.tar", "b/.hidden.tar"):
        (directory / name).write_text("x")
        os.utime(directory / name, (1, 1))
    os.symlink("backup-9.tar", directory / "b/link.tar")


def prune(below, expect=succeeds, on=(), **parameters):
    return expect("sync-directory", "prune", {"directory": "b", **parameters},
                  directory=below, on=on)


def left(directory):
    root = directory / "b"
    return sorted(str(path.relative_to(root)) for path in root.rglob("*.tar"))


OTHERS = [".hidden.tar", "link.tar", "sub/backup-old.tar"]


@rule("prune removes the files that match and are older, and only those")
def _(directory):
    backups(directory)
    done = prune(directory, match="*.tar", older_than="5d")
    equal(done.message, "5 files removed, 500 bytes")
    equal(left(directory), sorted(OTHERS + [f"backup-{n}.tar" for n in range(5)]))
    assert (directory / "b/notes.txt").exists()


@rule("keep spares the newest ones, whatever their age")
def _(directory):
    backups(directory)
    prune(directory, match="*.tar", keep=3)
    equal(left(directory), sorted(OTHERS + [f"backup-{n}.tar" for n in range(3)]))
    prune(directory, match="*.tar", keep=2, older_than="0s")
    equal(left(directory), sorted(OTHERS + [f"backup-{n}.tar" for n in range(2)]))
    prune(directory, match="*.tar", keep=1, older_than="30d")
    equal(left(directory), sorted(OTHERS + [f"backup-{n}.tar" for n in range(2)]))


@rule("recursive goes below, and not through links")
def _(directory):
    backups(directory)
    (directory / "outside").mkdir()
    (directory / "outside/old.tar").write_text("x")
    os.utime(directory / "outside/old.tar", (1, 1))
    os.symlink(directory / "outside", directory / "b/way")
    prune(directory, match="*.tar", older_than="5d", recursive=True)
    assert not (directory / "b/sub/backup-old.tar").exists()
    assert (directory / "outside/old.tar").exists()


@rule("dry_run removes nothing and names what it would remove")
def _(directory):
    backups(directory)
    done = prune(directory, match="*.tar", older_than="8d", dry_run=True)
    equal(done.of("log"), ["info would remove backup-9.tar", "info would remove backup-8.tar"])
    equal(done.message, "2 files would be removed, 200 bytes")
    equal(len(left(directory)), 13)


@rule("a file that is written to after it was found is spared")
def _(directory):
    backups(directory)
    prune(directory, match="*.tar", older_than="5d",
          on=[f"title#1=run:touch '{directory}/b/backup-7.tar'"])
    assert (directory / "b/backup-7.tar").exists()
    assert not (directory / "b/backup-6.tar").exists()


@rule("a directory that turns into a link while files are removed does not lead prune out")
def _(directory):
    backups(directory)
    (directory / "outside").mkdir()
    (directory / "outside/backup-old.tar").write_text("precious")
    os.utime(directory / "outside/backup-old.tar", (1, 1))
    swap = f"cd '{directory}/b' && mv sub moved && ln -s ../outside sub"
    done = prune(directory, fails, match="*.tar", older_than="30d", recursive=True,
                 on=[f"title#1=run:{swap}"])
    contains(done.message, "sub/backup-old.tar: ")
    assert (directory / "outside/backup-old.tar").exists()


@rule("expiration stops between two files and says how far it came")
def _(directory):
    backups(directory)
    done = prune(directory, expires, match="*.tar", older_than="0s", on=["progress#4=expire"])
    equal(done.message, "stopped after 3 files removed, 300 bytes")


@rule("parameters that cannot be used are refused with what to write instead")
def _(directory):
    backups(directory)
    for parameters, expected in (
            ({}, "older_than, keep, or both"), ({"older_than": 5}, "with its unit"),
            ({"keep": -1}, "whole number"), ({"directory": "nowhere", "keep": 1}, "No such file"),
            ({"kep": 1}, 'unknown key "kep"')):
        contains(prune(directory, fails, **parameters).message, expected)
    for parameters, expected in (
            ({"from": "nowhere"}, "from cannot be opened: No such file"),
            ({"from": "b", "to": "b/notes.txt"}, "to cannot be opened or made"),
            ({"from": ""}, "from: is missing"), ({"exclude": "*.log"}, "must be a list"),
            ({"checkpoint_every": 5}, "a size with its unit"),
            ({"rate": "0K"}, "rate: must be over 0"),
            ({"delete": "yes"}, "delete: must be true or false")):
        contains(copy(directory, fails, **parameters).message, expected)


exports_its_entry_only("sync-directory")
main()
