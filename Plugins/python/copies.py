# SPDX-License-Identifier: Apache-2.0
"""A handler in Python: copies files one after the other, can be stopped, and continues where it was."""

import pathlib
import shutil


def copy(task):
    files = sorted(pathlib.Path(task.directory, task.parameters["from"]).glob("*.py"))
    target = pathlib.Path(task.directory, task.parameters["to"])
    target.mkdir(exist_ok=True)
    first = task.restore() or 0
    for number, file in enumerate(files[first:], first + 1):
        if task.expired:
            return task.complete(False, f"stopped after {number - 1} of {len(files)}")
        shutil.copy2(file, target / file.name)
        task.save(number)
        task.progress(number, len(files))
    return f"{len(files)} copied"
