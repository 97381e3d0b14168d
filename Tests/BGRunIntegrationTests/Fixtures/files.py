#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""A web server of files for the tests of transfers: files.py DIRECTORY [GATE] [--tls CERTIFICATE KEY]

It knows ranges, If-Range and If-None-Match, and takes PUT and POST into DIRECTORY. With GATE, a FIFO,
it sends so many bytes of bodies as its lines say, or everything after "all".
"""
import http.server
import pathlib
import ssl
import sys
import threading

arguments = sys.argv[1:]
tls = None
if "--tls" in arguments:
    place = arguments.index("--tls")
    tls = arguments[place + 1:]
    arguments = arguments[:place]
root = pathlib.Path(arguments[0])
changed = threading.Condition()
allowed = 0 if len(arguments) > 1 else None


def say(*words):
    print(*words, file=sys.stderr, flush=True)


def read_gate():
    global allowed
    with open(arguments[1]) as gate:
        for line in gate:
            with changed:
                allowed = None if line.strip() == "all" else allowed + int(line)
                changed.notify_all()


def take(wanted, place):
    """How many bytes may be sent now; waits until it is at least one."""
    global allowed
    with changed:
        if allowed == 0:
            say("held", place)
        while allowed == 0:
            changed.wait()
        if allowed is None:
            return wanted
        count = min(wanted, allowed)
        allowed -= count
        return count


class Handler(http.server.BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def answer(self, status, **fields):
        self.send_response(status)
        for name, value in fields.items():
            self.send_header(name.replace("_", "-"), str(value))
        self.end_headers()

    def do_GET(self):
        path = root / self.path.lstrip("/")
        if not path.is_file():
            say("request GET", self.path, "missing")
            return self.answer(404, Content_Length=0)
        body = path.read_bytes()
        tag = f'"{path.stat().st_mtime_ns:x}-{len(body):x}"'
        if self.headers.get("If-None-Match") == tag:
            say("request GET", self.path, "unchanged")
            return self.answer(304, ETag=tag)
        start, asked = 0, self.headers.get("Range")
        if asked and self.headers.get("If-Range", tag) == tag:
            start = int(asked.removeprefix("bytes=").split("-")[0])
        say("request GET", self.path, "from", start)
        if start >= len(body) > 0:
            return self.answer(416, Content_Range=f"bytes */{len(body)}", Content_Length=0)
        fields = {"ETag": tag, "Accept_Ranges": "bytes", "Content_Length": len(body) - start}
        if start:
            fields["Content_Range"] = f"bytes {start}-{len(body) - 1}/{len(body)}"
        self.answer(206 if start else 200, **fields)
        while start < len(body):
            count = take(min(65536, len(body) - start), f"{self.path} {start}")
            self.wfile.write(body[start:start + count])
            start += count

    def do_PUT(self):
        body = self.rfile.read(int(self.headers["Content-Length"]))
        (root / self.path.lstrip("/")).write_bytes(body)
        say("request", self.command, self.path, len(body))
        self.answer(201, Content_Length=0)

    do_POST = do_PUT

    def log_message(self, *_):
        pass


class Server(http.server.ThreadingHTTPServer):
    daemon_threads = True
    request_queue_size = 128

    def handle_error(self, *_):
        """A client that is killed is what is tested."""


server = Server(("127.0.0.1", 0), Handler)
if tls:
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(*tls)
    server.socket = context.wrap_socket(server.socket, server_side=True)
if allowed is not None:
    threading.Thread(target=read_gate, daemon=True).start()
say("port", server.server_address[1])
server.serve_forever()
