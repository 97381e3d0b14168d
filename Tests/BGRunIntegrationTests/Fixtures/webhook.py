#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""A web server for the tests of hooks: webhook.py ANSWER... [--tls CERTIFICATE KEY]

An answer is a status, "429:SECONDS" with Retry-After, or "silence". The last one is repeated.
"""
import http.server
import json
import ssl
import sys
import threading

arguments = sys.argv[1:]
tls = None
if "--tls" in arguments:
    place = arguments.index("--tls")
    tls = arguments[place + 1:place + 3]
    arguments = arguments[:place]


class Handler(http.server.BaseHTTPRequestHandler):
    def do_POST(self):
        body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        headers = {name.lower(): value for name, value in self.headers.items()}
        request = {"path": self.path, "headers": headers, "body": body}
        print("request " + json.dumps(request), file=sys.stderr, flush=True)
        answer = arguments.pop(0) if len(arguments) > 1 else arguments[0]
        if answer == "silence":
            threading.Event().wait()
        status, _, seconds = answer.partition(":")
        text = b"no such\nhook" if status == "404" else b""
        self.send_response(int(status))
        if seconds:
            self.send_header("Retry-After", seconds)
        if status == "302":
            self.send_header("Location", "http://elsewhere.invalid/")
        self.send_header("Content-Length", str(len(text)))
        self.end_headers()
        self.wfile.write(text)

    def log_message(self, *_):
        pass


server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
server.daemon_threads = True
if tls:
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(*tls)
    server.socket = context.wrap_socket(server.socket, server_side=True)
print(f"port {server.server_address[1]}", file=sys.stderr, flush=True)
server.serve_forever()
