# SPDX-License-Identifier: Apache-2.0
"""The Python half of the plugin: calls the function that the parameters name."""

import glob
import importlib.util
import json
import logging
import os
import select
import site
import sys
import traceback

import _bgrun

_LEVELS = {"debug": 0, "info": 1, "warning": 2, "error": 3}


class Expiration:
    """Whether the time of the attempt is revoked, after threading.Event."""

    def __init__(self, handle):
        self._handle = handle

    def is_set(self):
        return _bgrun.is_expired(self._handle)

    __bool__ = is_set

    def wait(self, timeout=None):
        """Sleeps until the time is revoked, at most for `timeout` seconds; whether it is."""
        if not self:
            poll = select.poll()
            poll.register(self.fileno(), select.POLLIN)
            poll.poll(None if timeout is None else max(0, timeout) * 1000)
        return self.is_set()

    def fileno(self):
        """A descriptor that is readable once the time is revoked, for select and the like."""
        return _bgrun.wake_descriptor()

    @property
    def reason(self):
        """Why: "time", "power-lost", ...; None while it is not."""
        return _bgrun.expiration_reason() or None


class Transfer:
    """A download or an upload as it stands; see `transfer` in README.md."""

    _STATES = ("running", "suspended", "canceling", "completed")

    def __init__(self, given):
        self.id = given["id"]
        self.session = given["session"]
        self.url = given["url"]
        self.state = self._STATES[given["state"]] if given["state"] < 4 else "running"
        self.is_upload = bool(given["flags"] & 1)
        self.error = given["error_text"] or "failed" if given["error"] else None
        self.status = given["status"] or None
        self.note = given["note"]
        self.file = given["file"]
        self.headers = json.loads(given["headers"]) if given["headers"] else {}
        self.bytes = given["sent" if self.is_upload else "received"]
        total = given["expected_send" if self.is_upload else "expected_receive"]
        self.total = None if total < 0 else total


def _nanoseconds(after):
    """Converts a number of seconds or a timedelta. Raises TypeError for a text: times a number it is a longer text."""
    seconds = after.total_seconds() if hasattr(after, "total_seconds") else after
    if isinstance(seconds, (str, bytes, list, tuple)) or seconds is None:
        raise TypeError(f"after must be a number of seconds or a timedelta, not {after!r}")
    return int(seconds * 1_000_000_000)


class Task:
    """One attempt. Its methods may be called on any thread."""

    def __init__(self, handle, identifier, kind, attempt, directory, parameters):
        self._handle = handle
        self.identifier = identifier
        self.kind = kind
        self.attempt = attempt
        self.directory = directory
        self.parameters = parameters
        self.expired = Expiration(handle)
        self._is_reported = False

    def should_defer(self):
        """Whether bgrun would like the work to stop at the next good place."""
        return _bgrun.should_defer(self._handle)

    def time_remaining(self):
        """Seconds until the time is over; None without a limit."""
        return _bgrun.time_remaining(self._handle)

    def progress(self, completed, total=0):
        """Reports progress in any unit; without a total it is unknown."""
        _bgrun.progress(self._handle, completed, total)

    def title(self, title, subtitle=None):
        _bgrun.title(self._handle, title, subtitle)

    def log(self, message, level="info"):
        _bgrun.log(self._handle, _LEVELS[level], str(message).replace("\0", "\ufffd"))

    def restore(self, version=1):
        """The value that was saved with this version, else None."""
        stored = _bgrun.get_checkpoint(self._handle)
        return json.loads(stored[1]) if stored and stored[0] == version else None

    def save(self, value, version=1):
        """Replaces the checkpoint by a value JSON can hold, and returns once it is on disk."""
        _bgrun.put_checkpoint(self._handle, version, json.dumps(value).encode())

    def submit(self, identifier, after=0, parameters=None):
        """Submits a request, to be launched `after` so many seconds, or a timedelta."""
        text = None if parameters is None else json.dumps(parameters)
        _bgrun.submit(self._handle, identifier, _nanoseconds(after), text)

    def cancel(self, identifier):
        """Cancels a pending request; whether there was one."""
        return _bgrun.cancel(self._handle, identifier)

    def download(self, url, to=None, *, session=None, note=None, headers=None, method=None,
                 sha256=None, discretionary=False, metered=True, launches=True, after=0, rate=0,
                 resume=None):
        """Has bgrun fetch a file, also after the attempt; returns the transfer's id."""
        flags = 2 * discretionary + 4 * (not metered) + 8 * (not launches)
        return self._transfer(flags, url, to, session, note, headers, method, sha256, after, rate,
                              resume)

    def upload(self, file, url, *, session=None, note=None, headers=None, method=None,
               discretionary=False, metered=True, launches=True, after=0, rate=0):
        """Has bgrun send a file, also after the attempt; returns the transfer's id."""
        flags = 1 + 2 * discretionary + 4 * (not metered) + 8 * (not launches)
        return self._transfer(flags, url, file, session, note, headers, method, None, after, rate,
                              None)

    def _transfer(self, flags, url, file, session, note, headers, method, sha256, after, rate,
                  resume):
        return _bgrun.create_transfer(
            self._handle, flags, session or self.identifier, url, method,
            json.dumps(headers) if headers else None, None if file is None else os.fspath(file),
            sha256, note, _nanoseconds(after), rate, resume)

    def transfers(self, session=None):
        """Those of a session, or all of the app, whose end was not taken in."""
        return [Transfer(given) for given in _bgrun.list_transfers(self._handle, session)]

    def take_transfers(self, function, session=None):
        """Calls `function` for each transfer that has ended. When it returns, the transfer is taken
        in and its temporary file removed; what it raises ends this, and the rest comes again."""
        _bgrun.take_transfers(self._handle, session, lambda given: function(Transfer(given)))

    def resume_transfer(self, id):
        _bgrun.change_transfer(self._handle, "resume", id)

    def suspend_transfer(self, id):
        _bgrun.change_transfer(self._handle, "suspend", id)

    def cancel_transfer(self, id):
        _bgrun.change_transfer(self._handle, "cancel", id)

    def cancel_transfer_resumably(self, id):
        """Returns what `download(..., resume=)` continues with; None when there is nothing."""
        kept = _bgrun.cancel_resumable(self._handle, id)
        return kept[0] if kept else None

    def pushes(self):
        """The payloads held for this attempt of kind push, oldest first."""
        held = _bgrun.list_pushes(self._handle)
        return [self.parameters] if held is None else [json.loads(payload) for payload in held]

    def fetched(self, result):
        """Ends an attempt of kind push with "new-data", "no-data" or "failed"."""
        number = ("new-data", "no-data", "failed").index(result)
        if self._is_reported:
            return
        sys.stdout.flush()
        if _bgrun.complete_push(self._handle, number):
            self._is_reported = True
        else:
            self.complete(result != "failed", result)

    def complete(self, success, message=""):
        """Ends the attempt before the function returns. The first report wins."""
        if self._is_reported:
            return
        self._is_reported = True
        sys.stdout.flush()
        _bgrun.complete(self._handle, success, str(message).replace("\0", "\ufffd"))


class Refusal(Exception):
    """The parameters name no function that can be called."""


class _Handler(logging.Handler):
    """Sends what goes to `logging` to the log of the host."""

    task = None

    def emit(self, record):
        if self.task:
            level = max(0, min(3, record.levelno // 10 - 1))
            self.task.log(self.format(record), list(_LEVELS)[level])


_logging = _Handler()
logging.basicConfig(level=logging.INFO, handlers=[_logging], format="%(message)s")
# Path of a file: what it was when it was loaded, and the module.
_modules = {}
sys.stdout.reconfigure(line_buffering=True)


def run(handle, identifier, kind, attempt, directory, parameters_json):
    """Runs one attempt and reports on every path."""
    parameters = json.loads(parameters_json)
    named = {key: parameters.pop(key, None) for key in ("module", "function", "venv")}
    task = Task(handle, identifier, kind, attempt, directory, parameters)
    _logging.task = task
    try:
        result = _function(directory, **named)(task)
        if hasattr(result, "__await__"):
            result = _wait_for(result, task)
        task.complete(True, "" if result is None else result)
    except Refusal as refusal:
        task.complete(False, refusal)
    except BaseException as error:  # also SystemExit: it must not end the worker
        traceback.print_exc()
        sys.stderr.flush()
        task.complete(False, f"{type(error).__name__}: {error}")
    finally:
        _logging.task = None


def _function(directory, module, function, venv):
    if not module or not function:
        raise Refusal("parameters: name a file in module and one of its functions in function")
    if venv:
        _use_packages(os.path.join(directory, venv))
    path = os.path.realpath(os.path.join(directory, module))
    if not os.path.isfile(path):
        raise Refusal(
            f"`module` under `parameters` names {path}, which does not exist; correct the path")
    found = getattr(_module(path), function, None)
    if not callable(found):
        raise Refusal(f"{path} has no function {function}")
    return found


def _module(path):
    """The module of a file, loaded again when the file is another one than it was."""
    status = os.stat(path)
    version = (status.st_ino, status.st_mtime_ns, status.st_size)
    if _modules.get(path, (None, None))[0] != version:
        name, suffix = os.path.splitext(os.path.basename(path))
        if suffix != ".py":
            raise Refusal(f"{path} is not a Python file: its name does not end in .py")
        if name in sys.stdlib_module_names:
            raise Refusal(f"{path} has the name of a module of Python's; give it another")
        if os.path.dirname(path) not in sys.path:
            sys.path.insert(0, os.path.dirname(path))
        spec = importlib.util.spec_from_file_location(name, path)
        module = importlib.util.module_from_spec(spec)
        sys.modules[name] = module
        spec.loader.exec_module(module)
        _modules[path] = (version, module)
    return _modules[path][1]


def _use_packages(venv):
    """Makes the packages of a virtual environment importable."""
    version = f"python{sys.version_info.major}.{sys.version_info.minor}"
    packages = os.path.join(venv, "lib", version, "site-packages")
    if os.path.isdir(packages):
        if packages not in sys.path:
            site.addsitedir(packages)
        return
    others = ", ".join(os.path.basename(other) for other in glob.glob(f"{venv}/lib/python*"))
    raise Refusal(
        f"{packages} does not exist; this is {version}, the environment has {others or 'none'}")


def _wait_for(coroutine, task):
    """Runs an `async def` to its end; asyncio cancels it when the time is revoked."""
    import asyncio

    async def watched():
        work = asyncio.ensure_future(coroutine)
        loop = asyncio.get_running_loop()

        def cancel():
            loop.remove_reader(task.expired.fileno())
            work.cancel()

        loop.add_reader(task.expired.fileno(), cancel)
        try:
            return await work
        finally:
            loop.remove_reader(task.expired.fileno())

    return asyncio.run(watched())
