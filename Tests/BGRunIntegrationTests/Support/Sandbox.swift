// SPDX-License-Identifier: Apache-2.0

import Foundation
import Glibc
import Testing

/// A directory with one app, and all processes that its programs start.
final class Sandbox: Sendable {
    let directory: String
    /// The root directory and the bus from which bgrun reads the device. By default they are missing, so
    /// that the load of the real machine has no influence.
    let machine: (root: String, bus: String)
    /// A variable in the environment of every process that the sandbox starts, inherited by children.
    private let mark = "BGRUN_TEST_MARK=" + UUID().uuidString

    var manifest: String { directory + "/app.yaml" }
    var state: String { directory + "/state" }

    /// Runs `body` in a new sandbox; then kills the remaining processes and removes the files.
    static func with(
        machine: (root: String, bus: String)? = nil, _ body: (Sandbox) async throws -> Void
    ) async throws {
        let sandbox = try Sandbox(machine)
        defer {
            for process in sandbox.processes { kill(process.pid, SIGKILL) }
            try? FileManager.default.removeItem(atPath: sandbox.directory)
        }
        try await body(sandbox)
    }

    private init(_ machine: (root: String, bus: String)?) throws {
        var template = Array("/tmp/bgrun-test-XXXXXX".utf8CString)
        guard let path = mkdtemp(&template) else {
            throw CocoaError(.fileWriteUnknown)
        }
        directory = String(cString: path)
        self.machine = machine ?? (directory + "/no-machine", "unix:path=\(directory)/no-bus")
    }

    /// Writes the manifest: `tasks` below `tasks:`, `rest` at the top level.
    func write(
        plugins: [String: String] = [:], device: String = "{power: battery}", rest: String = "",
        tasks: String
    ) throws {
        var text = """
            bgrun: 1
            app: org.test.app
            modes: [fetch, processing, remote-notification]
            permitted_identifiers: [org.test.*]
            device: \(device)

            """
        if !plugins.isEmpty {
            text += "plugins:\n"
            for (name, path) in plugins.sorted(by: { $0.key < $1.key }) {
                text += "  \(name): \(path)\n"
            }
        }
        text += rest + "\n" + "tasks:\n"
        text += tasks.split(separator: "\n").map { "  \($0)\n" }.joined()
        try text.write(toFile: manifest, atomically: true, encoding: .utf8)
    }

    /// Replaces text of the manifest; returns the whole text before.
    @discardableResult
    func changeManifest(_ text: String, to new: String) throws -> String {
        let manifest = try String(contentsOfFile: self.manifest, encoding: .utf8)
        try manifest.replacing(text, with: new)
            .write(toFile: self.manifest, atomically: true, encoding: .utf8)
        return manifest
    }

    /// Starts `bgrun` with the options that name the app.
    func start(
        _ command: String, _ arguments: String..., closingError: Bool = false
    ) throws -> Running {
        try start([command, "--manifest", manifest, "--state", state] + arguments, closingError)
    }

    /// Starts a host, and waits until a line of its standard error contains `text`.
    func host(
        _ options: String..., until text: String = "Background refresh is available"
    ) async throws -> Running {
        let host = try start(["run", "--manifest", manifest, "--state", state] + options)
        try await host.line(text)
        return host
    }

    /// Runs `bgrun` for this app and waits for its end.
    @discardableResult
    func run(_ command: String, _ arguments: String...) async throws -> Finished {
        try await run([command, "--manifest", manifest, "--state", state] + arguments)
    }

    /// Runs `bgrun` with only these arguments and waits for its end.
    @discardableResult
    func run(_ arguments: [String], _ variables: [String: String] = [:]) async throws -> Finished {
        try await start(arguments, false, variables).end()
    }

    /// Starts `bgrun` with only these arguments.
    func start(
        _ arguments: [String], _ closingError: Bool = false, _ variables: [String: String] = [:]
    ) throws -> Running {
        try Running(
            Built.bgrun, arguments, environment: environment.merging(variables) { $1 },
            closingError: closingError)
    }

    /// Starts a program as another user, with only these groups. Needs root.
    func start(
        _ program: String = Built.bgrun, as user: uid_t, groups: [gid_t] = [],
        _ arguments: [String], _ variables: [String: String] = [:]
    ) throws -> Running {
        let groups =
            groups.isEmpty
            ? "--clear-groups"
            : "--groups=" + groups.map { String($0) }.joined(separator: ",")
        return try Running(
            "/usr/bin/setpriv",
            ["--reuid=\(user)", "--regid=\(user)", groups, program] + arguments,
            environment: environment.merging(variables) { $1 })
    }

    /// Starts another program with the environment of this app.
    func startProgram(
        _ path: String, _ arguments: [String], _ variables: [String: String] = [:]
    ) throws -> Running {
        try Running(
            path, arguments, environment: environment.merging(variables) { $1 })
    }

    /// Starts a shell command, in which `$BGRUN` and `$OPTIONS` are those of this app.
    func startShell(_ line: String, _ variables: [String: String] = [:]) throws -> Running {
        var environment = environment.merging(variables) { $1 }
        environment["BGRUN"] = Built.bgrun
        environment["OPTIONS"] = "--manifest \(manifest) --state \(state)"
        return try Running("/bin/sh", ["-c", line], environment: environment)
    }

    private var environment: [String: String] {
        let name = mark.prefix { $0 != "=" }
        return [
            "PATH": "/usr/bin:/bin", "HOME": directory, "LC_ALL": "C", "TZ": "UTC", "COLUMNS": "80",
            "BGRUN_DEVICE_ROOT": machine.root, "DBUS_SYSTEM_BUS_ADDRESS": machine.bus,
            String(name): String(mark.dropFirst(name.count + 1)),
        ]
    }

    // MARK: records

    struct Attempt: Decodable {
        var attempt: Int64
        var identifier: String
        var outcome: String
        var detail: String
        var message: String?
        var failuresBefore: Int
        var droppedLines: Int64
    }

    /// The attempts in `bgrun history`, the oldest first.
    func history(_ identifier: String? = nil) async throws -> [Attempt] {
        let arguments = ["history", "--manifest", manifest, "--state", state, "--json"]
        let finished = try await start(arguments + (identifier.map { [$0] } ?? [])).end()
        try #require(finished.code == 0, "\(finished.error)")
        return try Self.attempts(finished.output)
    }

    /// The attempts of `bgrun history --json`, the oldest first.
    static func attempts(_ json: String) throws -> [Attempt] {
        try JSONDecoder().decode([Attempt].self, from: Data(json.utf8)).reversed()
    }

    /// The only attempt of `identifier` that has ended.
    func attempt(_ identifier: String) async throws -> Attempt {
        let all = try await history(identifier)
        try #require(all.count == 1, "\(all)")
        return all[0]
    }

    struct Pending: Decodable {
        struct Row: Decodable {
            var id: Int64
            var identifier: String
            var failures: Int
            var reason: String
            var rateLimitedUntil: Int64?
        }
        struct RunningAttempt: Decodable {
            var attempt: Int64
            var identifier: String
        }
        var running: [RunningAttempt]
        var pending: [Row]
        var count: Int
    }

    /// The requests in `bgrun pending`.
    func pending() async throws -> Pending {
        let finished = try await run("pending", "--json", "--limit", "100000")
        try #require(finished.code == 0, "\(finished.error)")
        return try JSONDecoder().decode(Pending.self, from: Data(finished.output.utf8))
    }

    // MARK: gates

    /// Makes a FIFO in the sandbox, at which a handler waits. Opening it blocks neither side.
    func gate(_ name: String) throws -> Gate {
        try Gate(directory + "/" + name)
    }

    // MARK: processes

    struct LivingProcess: CustomStringConvertible {
        var pid: pid_t
        var command: String
        var description: String { "\(pid) \(command)" }
    }

    /// The living processes that the sandbox or its programs started, without zombies.
    var processes: [LivingProcess] {
        let names = (try? FileManager.default.contentsOfDirectory(atPath: "/proc")) ?? []
        return names.compactMap { pid_t($0) }.compactMap { pid in
            guard let variables = Self.contents("/proc/\(pid)/environ"),
                variables.split(separator: "\0").contains(Substring(mark))
            else { return nil }
            let words = Self.contents("/proc/\(pid)/cmdline") ?? ""
            return LivingProcess(
                pid: pid, command: words.split(separator: "\0").joined(separator: " "))
        }
    }

    /// The living workers.
    var workers: [LivingProcess] {
        processes.filter { $0.command.contains("bgrun-worker") }
    }

    /// Waits until all processes of the sandbox have ended.
    ///
    /// - Parameter exceptStopped: A host stops a process before it kills it. If the host is killed between
    ///   the two, the process stays stopped until the next host kills it.
    func expectNothingLeft(
        exceptStopped: Bool = false, _ location: SourceLocation = #_sourceLocation
    ) async {
        var left: [LivingProcess] {
            exceptStopped ? processes.filter { Self.state(of: $0.pid) != "T" } : processes
        }
        let isOver = await eventually { left.isEmpty }
        let states = processes.map { "\($0) \(Self.state(of: $0.pid) ?? "-")" }
        #expect(isOver, "still alive: \(states)", sourceLocation: location)
    }

    /// The state letter of a process, as in `ps`; nil when it has ended.
    static func state(of pid: pid_t) -> Character? {
        guard let text = contents("/proc/\(pid)/stat"), let end = text.lastIndex(of: ")") else {
            return nil
        }
        return text[end...].dropFirst(2).first
    }

    private static func contents(_ path: String) -> String? {
        guard let file = FileHandle(forReadingAtPath: path) else { return nil }
        defer { try? file.close() }
        guard let data = try? file.readToEnd() else { return nil }
        return String(decoding: data, as: UTF8.self)
    }
}

extension Sandbox {
    /// A sandbox whose tasks are handled by the probe.
    static func withProbe(
        _ tasks: String, plugins: [String: String] = [:],
        rest: String = "policy: {profile: server}",
        _ body: (Sandbox) async throws -> Void
    ) async throws {
        let probe = try await Built.probe.value
        try await with { box in
            try box.write(
                plugins: plugins.merging(["probe": probe]) { $1 }, rest: rest, tasks: tasks)
            try await body(box)
        }
    }

    /// A sandbox whose tasks are handled by a plugin that ships with bgrun.
    static func withPlugin(
        _ name: String, device: String = "{power: battery}", rest: String = "", tasks: String,
        _ body: (Sandbox) async throws -> Void
    ) async throws {
        let plugin = try Built.plugin(name)
        try await with { box in
            try box.write(
                plugins: [String(name.prefix { $0 != "-" }): plugin], device: device, rest: rest,
                tasks: tasks)
            try await body(box)
        }
    }
}

/// Polls a condition that the kernel does not report; false if it is not true within 20 s, a time
/// that only a broken program needs.
func eventually(_ isTrue: () -> Bool) async -> Bool {
    let start = ContinuousClock.now
    while !isTrue() {
        if start.duration(to: .now) > .seconds(20) { return false }
        await Task.yield()
    }
    return true
}

/// A FIFO at which a handler waits until the test lets it continue.
final class Gate: Sendable {
    let path: String
    private let descriptor: Int32

    init(_ path: String) throws {
        self.path = path
        guard mkfifo(path, 0o600) == 0 else { throw CocoaError(.fileWriteUnknown) }
        // Also for reading: so it opens without a reader, and keeps unread lines.
        descriptor = Glibc.open(path, O_RDWR | O_CLOEXEC | O_NONBLOCK)
    }

    deinit {
        close(descriptor)
    }

    /// Permits one reader of a line to continue.
    func open(_ line: String = "go") {
        let text = line + "\n"
        _ = write(descriptor, text, text.utf8.count)
    }
}
