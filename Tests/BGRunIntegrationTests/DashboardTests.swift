// SPDX-License-Identifier: Apache-2.0

import Foundation
import Glibc
import Testing

/// The real server, with requests of browsers and of other programs.
@Suite("bgrun dashboard", .timeLimit(.minutes(5)))
struct DashboardTests {
    private static let token = "a-token-of-enough-characters"
    private static let tasks = """
        org.test.waits: {kind: processing, handler: probe.wait, submit: manual}
        org.test.power: {kind: processing, handler: probe.who, requires: {power: external}}
        org.test.many.*: {kind: processing, handler: probe.who, submit: manual}
        org.test.evil: {kind: processing, handler: exec.run, submit: manual, parameters: {command: 'printf "<b>\\\\033[31mred</b>"'}}
        """

    /// Runs a host and a dashboard.
    private func with(
        _ arguments: [String] = [], token: Bool = false,
        _ body: (Sandbox, Running, Site) async throws -> Void
    ) async throws {
        try await Sandbox.withProbe(
            Self.tasks, plugins: ["exec": try Built.plugin("exec")]
        ) { box in
            let host = try await box.host("--stay")
            var options = arguments
            if token {
                let file = box.directory + "/token"
                #expect(
                    FileManager.default.createFile(
                        atPath: file, contents: Data((Self.token + "\n").utf8),
                        attributes: [.posixPermissions: 0o600]))
                options += ["--token-file", file]
            }
            let server = try box.start(
                ["dashboard", "-m", box.manifest, "--state", box.state, "--listen", "127.0.0.1:0"]
                    + options)
            let line = try await server.line("the dashboard is at http://127.0.0.1:")
            let port = try #require(UInt16(line.split(separator: ":").last?.dropLast() ?? ""))
            try await body(box, host, Site(port: port))
            let end = await server.stop()
            #expect(end.code == 0, "\(end.error)")
            await host.stop()
        }
    }

    @Test("pages show running attempts, waiting requests with reasons, output, and the policy")
    func pages() async throws {
        try await with { box, host, site in
            #expect(try await box.run("submit", "org.test.waits").code == 0)
            try await host.line("Starting task with identifier org.test.waits")
            let overview = try await site.get("/")
            #expect(overview.status == 200)
            #expect(overview.header("content-type") == "text/html; charset=utf-8")
            #expect(
                overview.header("content-security-policy")?.hasPrefix("default-src 'none'") == true)
            #expect(overview.body.contains("/apps/org.test.app/attempts/1\">org.test.waits</a>"))
            #expect(overview.body.contains("waits for power: external"))
            let task = try await site.get("/apps/org.test.app/tasks/org.test.power")
            #expect(task.body.contains("waits for power: external"))
            #expect(task.body.contains("external"))
            #expect(try await site.get("/apps/org.test.app/attempts/1").body.contains("running"))
            #expect(try await site.get("/apps/org.test.app?span=7d").status == 200)
            #expect(try await site.get("/device").body.contains("low-power-mode"))
            for name in ["dashboard.css", "dashboard.js", "icon.svg"] {
                #expect(try await site.get("/assets/\(name)").status == 200)
            }
        }
    }

    @Test("a wildcard has a page with all its attempts, each identifier a page with its own")
    func wildcard() async throws {
        try await with { box, host, site in
            for name in ["org.test.many.one", "org.test.many.two"] {
                #expect(try await box.run("submit", name).code == 0)
                try await host.line("Task completed with identifier \(name)")
            }
            for (name, attempts) in [("one", 1), ("two", 1), ("*", 2)] {
                let page = try await site.get("/apps/org.test.app/tasks/org.test.many.\(name)")
                #expect(page.body.contains(">\(attempts) attempts in 7 days<"), "\(page.body)")
            }
            let report = try await box.run("report", "org.test.many.one").output
            #expect(report.contains("\norg.test.many.one  1     1   0"), "\(report)")
            let page = try await site.get("/apps/org.test.app/tasks/org.test.many.*")
            #expect(page.status == 200)
            #expect(page.body.contains("/apps/org.test.app/attempts/1\">1</a>"))
            #expect(page.body.contains("/tasks/org.test.many.one\">org.test.many.one</a>"))
            let own = try await site.get("/apps/org.test.app/tasks/org.test.many.one")
            #expect(own.body.contains("/apps/org.test.app/attempts/1\">1</a>"))
            #expect(try await site.get("/apps/org.test.app/tasks/other.*").status == 404)
            let metrics = try await site.get("/metrics")
            #expect(
                metrics.body.contains(
                    "launches_total{app=\"org.test.app\",task=\"org.test.many.*\"} 2\n"))
        }
    }

    @Test("the output of a handler is shown as text")
    func output() async throws {
        try await with { box, host, site in
            #expect(try await box.run("submit", "org.test.evil").code == 0)
            try await host.line("Task completed with identifier org.test.evil")
            let page = try await site.get("/apps/org.test.app/attempts/1")
            #expect(page.body.contains("&lt;b&gt;"))
            #expect(page.body.contains("red&lt;/b&gt;"))
            #expect(!page.body.contains("<b>") && !page.body.contains("\u{1B}"))
        }
    }

    @Test("an unknown page is not found, and its answer names no files")
    func missing() async throws {
        try await with { _, _, site in
            for path in [
                "/nothing", "/apps/other", "/apps/org.test.app/tasks/nobody",
                "/apps/org.test.app/attempts/99", "/apps/org.test.app/attempts/x",
                "/assets/%2e%2e%2fetc%2fpasswd", "/assets/..%2f..%2fetc%2fpasswd", "/api/x",
                "/login",
            ] {
                let answer = try await site.get(path)
                #expect(answer.status == 404, "\(path)")
                #expect(!answer.body.contains("root:"))
            }
            #expect(try await site.get("/../../etc/passwd").status == 400)
        }
    }

    @Test("a request for another host name, or for a change without a token, is refused")
    func refused() async throws {
        try await with { box, _, site in
            #expect(try await site.get("/", ["Host": "evil.example"]).status == 421)
            #expect(try await site.get("/", ["Host": "localhost:\(site.port)"]).status == 200)
            let action = "/apps/org.test.app/tasks/org.test.power/trigger"
            #expect(try await site.post(action).status == 403)
            #expect(
                try await site.post(action, ["Authorization": "Bearer \(Self.token)"]).status == 403
            )
            #expect(try await site.post(action, Self.bodyToCome).status == 403)
            let history = try await box.history()
            #expect(history.isEmpty)
        }
    }

    @Test(
        "a program with the token launches, submits, cancels and expires; without it nothing happens"
    )
    func token() async throws {
        try await with(token: true) { box, host, site in
            let tasks = "/apps/org.test.app/tasks"
            let bearer = ["Authorization": "Bearer \(Self.token)"]
            for headers in [[:], ["Authorization": "Bearer \(Self.token)x"]] {
                #expect(
                    try await site.post(tasks + "/org.test.power/trigger", headers).status == 401)
            }
            #expect(
                try await site.post(
                    tasks + "/org.test.power/trigger",
                    bearer.merging(["Origin": "http://evil.example"]) { $1 }
                ).status == 403)
            #expect(try await box.history().isEmpty)
            let launched = try await site.post(tasks + "/org.test.power/trigger", bearer)
            #expect(launched.status == 200)
            #expect(launched.body.contains("\"attempt\":1"))
            try await host.line("Task completed with identifier org.test.power")
            #expect(try await site.post(tasks + "/org.test.waits/submit", bearer).status == 200)
            try await host.line("Starting task with identifier org.test.waits")
            #expect(try await site.post(tasks + "/org.test.waits/expire", bearer).status == 200)
            try await host.line("Expiring task with identifier org.test.waits")
            #expect(try await site.post(tasks + "/org.test.waits/explode", bearer).status == 404)
            #expect(try await site.post(tasks + "/nobody/trigger", bearer).status == 409)
        }
    }

    /// The headers of a request whose body is never sent.
    private static let bodyToCome = ["Content-Length": "60000"]

    @Test("a change without the token is refused after its head, before its body arrives")
    func unread() async throws {
        try await with(token: true) { _, _, site in
            let action = "/apps/org.test.app/tasks/org.test.power/trigger"
            for headers in [[:], ["Authorization": "Bearer \(Self.token)x"]] {
                let answer = try await site.post(
                    action, headers.merging(Self.bodyToCome) { $1 })
                #expect(answer.status == 401)
            }
        }
    }

    @Test(
        "clients without the token use at most twice their time of the dashboard and its gateway")
    func cost() async throws {
        try await with(["--listen-anywhere"], token: true) { box, _, site in
            let servers = box.processes.filter {
                $0.command.contains("bgrun-gateway") || $0.command.contains(" dashboard ")
            }
            try #require(servers.count == 2)
            let ratio = try await Strangers(port: Int(site.port), status: 401) {
                "GET /apps/org.test.app HTTP/1.1\r\nHost: localhost\r\n" + $0
            }.ratio(of: servers.map(\.pid))
            #expect(ratio <= 2)
        }
    }

    @Test("a user logs in once, changes something by a form, and logs out")
    func session() async throws {
        try await with(token: true) { box, host, site in
            let html = ["Accept": "text/html", "Origin": "http://127.0.0.1:\(site.port)"]
            #expect(try await site.get("/login", html).body.contains("type=\"password\""))
            #expect(try await site.post("/login", html, "token=wrong").status == 401)
            let login = try await site.post(
                "/login", html, "token=\(Self.token)&target=//evil.example")
            #expect(login.status == 303)
            #expect(login.header("location") == "/")
            let cookie = try #require(login.header("set-cookie"))
            #expect(cookie.contains("HttpOnly") && cookie.contains("SameSite=Strict"))
            let trusted = html.merging(["Cookie": String(cookie.prefix { $0 != ";" })]) { $1 }
            let task = "/apps/org.test.app/tasks/org.test.power"
            let form = try await site.get(task, trusted)
            let secret = try #require(
                form.body.firstMatch(of: /name="secret" value="([a-z0-9]+)"/)?.1)
            #expect(try await site.post(task + "/trigger", trusted, "secret=no").status == 403)
            #expect(try await box.history().isEmpty)
            let done = try await site.post(task + "/trigger", trusted, "secret=\(secret)")
            #expect(done.status == 303)
            #expect(done.header("location") == task)
            try await host.line("Task completed with identifier org.test.power")
            let logout = try await site.post("/logout", trusted, "secret=\(secret)")
            #expect(logout.header("set-cookie")?.contains("Max-Age=0") == true)
        }
    }

    @Test(
        "unsafe addresses and tokens are refused",
        arguments: [
            (["--listen", "0.0.0.0:0"], 64), (["--listen", "example.org:80"], 64),
            (["--listen", "0.0.0.0:0", "--listen-anywhere"], 64),
            (["--token-file", "/nowhere"], 66),
            (["--token-file", "TOKEN"], 77),
        ] as [([String], Int32)])
    func options(_ arguments: [String], _ code: Int32) async throws {
        try await Sandbox.with { box in
            let file = box.directory + "/token"
            #expect(
                FileManager.default.createFile(
                    atPath: file, contents: Data(Self.token.utf8),
                    attributes: [.posixPermissions: 0o644]))
            let end = try await box.run(
                ["dashboard", "--state", box.state] + arguments.map { $0 == "TOKEN" ? file : $0 })
            #expect(end.code == code, "\(end.error)")
        }
    }

    @Test("health names the app whose host is missing, and metrics continue to count")
    func health() async throws {
        try await with { box, host, site in
            #expect(try await site.get("/healthz").status == 200)
            #expect(try await box.run("submit", "org.test.evil").code == 0)
            try await host.line("Task completed with identifier org.test.evil")
            let metrics = try await site.get("/metrics")
            #expect(metrics.header("content-type") == "text/plain; version=0.0.4; charset=utf-8")
            let counted =
                "bgrun_attempts_ended_total{app=\"org.test.app\",task=\"org.test.evil\",outcome=\"completed\",reason=\"\"} 1\n"
            #expect(metrics.body.contains(counted))
            #expect(metrics.body.contains("bgrun_up{app=\"org.test.app\"} 1\n"))
            await host.stop()
            let health = try await site.get("/healthz")
            #expect(health.status == 503)
            #expect(health.body.contains("\"why\" : \"no host runs\""))
            let later = try await site.get("/metrics")
            #expect(later.body.contains(counted))
            #expect(later.body.contains("bgrun_up{app=\"org.test.app\"} 0\n"))
            #expect(try await site.get("/").body.contains("no host runs"))
        }
    }

    @Test("metrics are written atomically, continue to count, and Prometheus' parser reads them")
    func textfile() async throws {
        try await Sandbox.withProbe(Self.tasks, plugins: ["exec": try Built.plugin("exec")]) {
            box in
            let file = box.directory + "/bgrun.prom"
            for round in 1...2 {
                #expect(try await box.run("submit", "org.test.evil").code == 0)
                try await box.run("run", "--once", "--quiet")
                let end = try await box.run("metrics", "--output", file)
                #expect(end.code == 0, "\(end.error)")
                let text = try String(contentsOfFile: file, encoding: .utf8)
                #expect(
                    text.contains(
                        "task=\"org.test.evil\",outcome=\"completed\",reason=\"\"} \(round)\n"))
                #expect(
                    text.contains(
                        "bgrun_pending_requests{app=\"org.test.app\",task=\"org.test.power\"} 1\n"))
            }
            let parsed = try await box.startProgram(
                "/usr/bin/python3",
                [
                    "-c",
                    """
                    import sys
                    from prometheus_client.parser import text_string_to_metric_families as parse
                    families = {f.name: f for f in parse(open(sys.argv[1]).read())}
                    assert families["bgrun_launches"].type == "counter", families
                    assert families["bgrun_run_seconds"].type == "histogram", families
                    """, file,
                ]
            ).end()
            #expect(parsed.code == 0, "\(parsed.error)")
        }
    }

    @Test("JSON equals that of the commands")
    func api() async throws {
        try await with { box, host, site in
            #expect(try await box.run("submit", "org.test.evil").code == 0)
            try await host.line("Task completed with identifier org.test.evil")
            let app = "/api/apps/org.test.app"
            let history = try await site.get(app + "/history?task=org.test.evil")
            #expect(try Sandbox.attempts(history.body).map(\.outcome) == ["completed"])
            let explain = try await site.get(app + "/explain/org.test.power")
            #expect(explain.body.contains("\"reason\" : \"waits for power: external\""))
            #expect(try await site.get(app + "/report?since=24h").body.contains("\"tasks\""))
            #expect(try await site.get(app + "/output/1").body.contains("red"))
            #expect(try await site.get("/api/apps").body.contains("\"pendingCount\" : 1"))
            for (query, values) in [
                ("/report?since=9d", "24h, 7d or 30d"), ("/history?limit=-1", "from 0 to 1000"),
                ("/history?limit=many", "from 0 to 1000"),
            ] {
                let refused = try await site.get(app + query)
                #expect(refused.status == 400 && refused.body.contains(values), "\(query)")
            }
            #expect(try await site.get("/api/device").body.contains("\"confidence\""))
        }
    }

    @Test("a stopped host delays no page, and its app is named")
    func stopped() async throws {
        try await with { box, host, site in
            kill(host.pid, SIGSTOP)
            defer { kill(host.pid, SIGCONT) }
            let health = try await site.get("/healthz")
            #expect(health.status == 503)
            #expect(health.body.contains("does not answer"))
            #expect(try await site.get("/").body.contains("does not answer"))
            kill(host.pid, SIGCONT)
        }
    }
}
