# SPDX-License-Identifier: Apache-2.0 OR 0BSD
"""Handlers of com.example.kit-name: functions of a task, named in kit-name.yaml.

A handler ends the attempt by returning, with success; an exception ends it as failed.
"""


def do_piece(task, seconds):
    """One piece of the work: short, and harmless when it is done twice. Yours goes here.

    Whether there was time for it."""
    return not task.expired.wait(seconds)


def count(task):
    """Does its work in pieces, can be stopped between two of them, and continues where it was."""
    pieces = int(task.parameters.get("pieces", 20))
    seconds = int(task.parameters.get("milliseconds", 50)) / 1000
    done = task.restore() or 0

    task.title("Counting")
    if done:
        task.log(f"continues after {done} of {pieces} pieces")
    while done < pieces:
        if task.should_defer() or not do_piece(task, seconds):
            return task.complete(False, f"stopped after {done} of {pieces} pieces")
        done += 1
        task.save(done)
        task.progress(done, pieces)
    return f"counted {done} of {pieces} pieces"
