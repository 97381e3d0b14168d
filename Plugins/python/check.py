#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The interpreter in the worker: what a function returns, raises and asks for."""

import pathlib
import subprocess
import sys
import textwrap

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[2] / "Tests/PluginHarness"))
from harness import (  # noqa: E402
    contains, equal, expires, exports_its_entry_only, fails, main, rule, run, succeeds)


def function(directory, body, name="handlers.py"):
    """Writes a module whose function `go` has this body, or a whole module."""
    text = textwrap.dedent(body)
    if "def " not in text:
        text = "def go(task):\n" + textwrap.indent(text, "    ")
    (directory / name).write_text(text)
    return {"module": name, "function": "go"}


def on(directory, body, **parameters):
    return {
        "handler": "run", "parameters": {**function(directory, body), **parameters},
        "directory": directory, "checkpoint": directory / "checkpoint"}


@rule("what a function returns is the message, and nothing is a success too")
def _(directory):
    equal(succeeds("python", **on(directory, "return 'done'")).message, "done")
    equal(succeeds("python", **on(directory, "pass")).message, "")


@rule("an exception is a failure with its message, and the traceback is output")
def _(directory):
    result = fails("python", **on(directory, "raise ValueError('no such photo')"))
    equal(result.message, "ValueError: no such photo")
    contains("\n".join(result.of("output")), "handlers.py\", line 2, in go")


@rule("sys.exit ends the attempt as failed, not the worker")
def _(directory):
    result = fails("python", **on(directory, "import sys; sys.exit(3)"))
    equal(result.message, "SystemExit: 3")


@rule("a completion before the return wins, and later calls change nothing")
def _(directory):
    body = """
        task.complete(False, "half of it")
        task.progress(1, 2)
        return "done"
        """
    result = run("python", **on(directory, body))
    equal(result.of("complete"), ["failure half of it"])


@rule("parameters arrive without those that name the function")
def _(directory):
    result = succeeds(
        "python", **on(directory, "return repr(task.parameters)", keep="90d", deep={"a": [1, None]}))
    equal(result.message, "{'keep': '90d', 'deep': {'a': [1, None]}}")


@rule("print, logging and task.log reach the host, text of any script too")
def _(directory):
    body = """
        import logging
        print("gedruckt: ä", flush=False)
        logging.getLogger("photos").warning("careful: %s", "ß")
        task.log("said", "error")
        task.title("Title", "Sub")
        """
    result = succeeds("python", **on(directory, body), environment={"LC_ALL": "C"})
    contains(result.of("output"), "gedruckt: ä")
    equal(result.of("log"), ["warning careful: ß", "error said"])
    equal(result.of("title"), ["Title | Sub"])


@rule("a checkpoint of another version is not restored")
def _(directory):
    body = """
        before = task.restore(version=2)
        task.save({"next": 7}, version=task.parameters["save"])
        raise RuntimeError(f"restored {before}")
        """
    equal(fails("python", **on(directory, body, save=1)).message, "RuntimeError: restored None")
    equal(fails("python", **on(directory, body, save=2)).message, "RuntimeError: restored None")
    equal(
        fails("python", **on(directory, body, save=2)).message,
        "RuntimeError: restored {'next': 7}")


@rule("what JSON cannot hold is a failure that says so, and the checkpoint stands")
def _(directory):
    contains(
        fails("python", **on(directory, "task.save(object())")).message, "not JSON serializable")


@rule("a function that waits is woken by the expiration, and knows the reason")
def _(directory):
    body = """
        task.progress(1, 2)
        over = task.expired.wait(60)
        return task.complete(False, f"{over} {bool(task.expired)} {task.expired.reason}")
        """
    result = expires("python", **on(directory, body), on=["progress#1=expire"])
    contains(result.message, "True True time")


@rule("a function in a loop sees the expiration though it never gives the interpreter away")
def _(directory):
    body = """
        task.progress(1, 2)
        while not task.expired:
            pass
        return task.complete(False, "stopped")
        """
    contains(
        expires("python", **on(directory, body), on=["progress#1=expire"]).message, "stopped")


@rule("time that is revoked before the first line ran is seen by it")
def _(directory):
    result = expires(
        "python", **on(directory, "task.complete(False, str(task.expired.wait(60)))"),
        on=["launch=expire"])
    contains(result.message, "True")


@rule("an async def is awaited, and cancelled when the time is revoked")
def _(directory):
    body = """
        import asyncio

        async def go(task):
            await asyncio.sleep(0)
            task.progress(1, 2)
            try:
                await asyncio.sleep(60 if task.parameters.get("long") else 0)
            except asyncio.CancelledError:
                return task.complete(False, "stopped")
            return "slept"
        """
    equal(succeeds("python", **on(directory, body)).message, "slept")
    contains(
        expires("python", **on(directory, body, long=True), on=["progress#1=expire"]).message,
        "stopped")


@rule("a warm worker runs it again and again, and asyncio leaves nothing behind")
def _(directory):
    body = """
        import asyncio
        attempts = 0

        async def go(task):
            global attempts
            attempts += 1
            await asyncio.gather(*(asyncio.sleep(0.001) for _ in range(9)))
            return attempts
        """
    result = run("python", **on(directory, body), runs=20)
    equal(result.of("complete"), [f"success {n}" for n in range(1, 21)])
    equal(result.of("left"), [])


@rule("a thread that is left running is seen by the host")
def _(directory):
    body = """
        import threading
        threading.Thread(target=threading.Event().wait, daemon=True).start()
        """
    contains(" ".join(run("python", **on(directory, body)).of("left")), "thread")


@rule("a module that has changed is loaded again by a warm worker")
def _(directory):
    body = """
        import os
        # The next run loads another file, which this one has written.
        with open(__file__ + ".new", "w") as file:
            file.write("def go(task):\\n    return 'second'\\n")

        def go(task):
            os.rename(__file__ + ".new", __file__)
            return "first"
        """
    result = run("python", **on(directory, body), runs=2)
    equal(result.of("complete"), ["success first", "success second"])


@rule("modules beside the module are found, and those of a virtual environment")
def _(directory):
    (directory / "beside.py").write_text("value = 'beside'\n")
    subprocess.run(
        ["/usr/bin/python3", "-m", "venv", "--without-pip", str(directory / "venv")], check=True)
    packages, = (directory / "venv/lib").glob("python*/site-packages")
    (packages / "installed.py").write_text("value = 'installed'\n")
    body = "import beside, installed; return f'{beside.value} {installed.value}'"
    equal(succeeds("python", **on(directory, body, venv="venv")).message, "beside installed")
    contains(fails("python", **on(directory, body, venv="other")).message, "the environment has none")


@rule("modules written in C find the interpreter")
def _(directory):
    # PyYAML's is an extension that is not linked with libpython, as Debian's are.
    body = "import yaml; return str(yaml.load('[1, 2]', yaml.CSafeLoader))"
    equal(succeeds("python", **on(directory, body)).message, "[1, 2]")


@rule("parameters that name no function are refused with what is missing")
def _(directory):
    function(directory, "pass")
    function(directory, "pass", name="json.py")
    (directory / "broken.py").write_text("def go(task:\n")
    for parameters, message in [
        ({}, "name a file in module and one of its functions in function"),
        (
            {"module": "none.py", "function": "go"},
            f"`module` under `parameters` names {directory / 'none.py'}, which does not exist; "
            "correct the path"),
        ({"module": "handlers.py", "function": "gone"}, "has no function gone"),
        ({"module": "json.py", "function": "go"}, "has the name of a module of Python's"),
        ({"module": "broken.py", "function": "go"}, "SyntaxError: "),
    ]:
        result = fails("python", "run", parameters, directory=directory)
        contains(result.message, message)


@rule("a request that is refused is an exception with the reason")
def _(directory):
    body = """
        from datetime import timedelta
        task.submit("com.example.next", after=timedelta(minutes=15), parameters={"a": 1})
        """
    equal(
        fails("python", **on(directory, body)).message,
        "RuntimeError: submit: the manifest does not permit the identifier")
    equal(
        fails("python", **on(directory, 'task.submit(task.identifier + ".unhandled")')).message,
        "RuntimeError: submit: no task of the app has the identifier "
        "com.example.harness.unhandled")


@rule("a time that is not a number of seconds is refused at once")
def _(directory):
    for call in ["submit('com.example.next', after='1h')", "download('https://example.com', after='1h')"]:
        equal(
            fails("python", **on(directory, "task." + call)).message,
            "TypeError: after must be a number of seconds or a timedelta, not '1h'")


@rule("a transfer is ordered with what it needs, under the task's own session unless another is named")
def _(directory):
    body = """
        first = task.download("https://example.com/1.mp3", session="org.test.episodes", note="One",
                              headers={"Accept": "audio/*"}, discretionary=True, after=60)
        second = task.upload("take.aac", "https://example.com/in", method="POST", metered=False)
        task.suspend_transfer(first)
        task.resume_transfer(first)
        task.cancel_transfer(second)
        kept = task.cancel_transfer_resumably(first)
        task.download(None, resume=kept)
        return f"{first} {second} {kept}"
        """
    result = succeeds("python", **on(directory, body))
    equal(result.message, "1 2 b'half'")
    equal(result.of("transfer"), [
        "org.test.episodes - https://example.com/1.mp3 flags 0x2 file - "
        'headers {"Accept": "audio/*"} after 60 s note One',
        "com.example.harness POST https://example.com/in flags 0x5 file take.aac headers - "
        "after 0 s note -",
        "com.example.harness - - flags 0 file - headers - after 0 s note -"])


@rule("a transfer that is not there is an exception with the reason")
def _(directory):
    result = fails("python", **on(directory, "task.cancel_transfer(9)"))
    equal(result.message, "RuntimeError: cancel: it does not exist")


@rule("transfers that have ended are handed over one by one, and taken in when the function returns")
def _(directory):
    (directory / "part").write_text("music")
    body = """
        def take(transfer):
            content = open(transfer.file).read() if transfer.file else transfer.error
            seen.append((transfer.url, transfer.state, transfer.status, content, transfer.total))

        def go(task):
            seen.clear()
            known = len(task.transfers())
            task.take_transfers(take)
            return f"{known} {seen}"

        seen = []
        """
    result = succeeds("python", ended=[f"http://a/1={directory}/part", "http://a/2="],
                      **on(directory, body))
    equal(result.message, "2 [('http://a/1', 'completed', 200, 'music', 5), "
                          "('http://a/2', 'completed', None, 'its time is over', None)]")
    equal(result.of("taken"), ["http://a/1", "http://a/2"])
    assert not (directory / "part").exists()


@rule("what the function raises leaves the transfer and the rest, and is raised")
def _(directory):
    (directory / "part").write_text("music")
    body = """
        def take(transfer):
            raise OSError("the disk is full")

        def go(task):
            task.take_transfers(take)
        """
    result = fails("python", ended=[f"http://a/1={directory}/part", "http://a/2="],
                   **on(directory, body))
    equal(result.message, "OSError: the disk is full")
    equal(result.of("left-behind"), ["http://a/1"])
    equal(result.of("taken"), [])
    assert (directory / "part").exists()


@rule("held pushes are handed over, oldest first, and the result ends the attempt")
def _(directory):
    body = """
        numbers = [payload["n"] for payload in task.pushes()]
        print(task.kind, numbers)
        task.fetched("no-data")
        return "ignored"
        """
    result = succeeds("python", pushes=[{"n": 1}, {"n": 2}], **on(directory, body))
    equal(result.message, "no-data")
    contains(result.of("output"), "push [1, 2]")


@rule("a fetch that failed is a failure")
def _(directory):
    equal(fails("python", pushes=[{}], **on(directory, "task.fetched('failed')")).message, "failed")


exports_its_entry_only("python")
main()
