// SPDX-License-Identifier: Apache-2.0

import Foundation
import Glibc
import Testing

/// A temporary directory with the files of one test; deinit removes it.
final class Scene {
    let path: String

    init() throws {
        var template = Array("/tmp/bgrun-end-to-end-XXXXXX".utf8CString)
        let made = try #require(mkdtemp(&template), "mkdtemp: errno \(errno)")
        path = String(cString: made)
    }

    deinit {
        try? FileManager.default.removeItem(atPath: path)
    }

    func contents(_ name: String) -> Data? {
        FileManager.default.contents(atPath: "\(path)/\(name)")
    }

    func write(_ name: String, _ text: String, mode: mode_t = 0o644) throws {
        try Data(text.utf8).write(to: URL(filePath: "\(path)/\(name)"))
        try setMode(name, mode)
    }

    func setMode(_ name: String, _ mode: mode_t) throws {
        try #require(chmod("\(path)/\(name)", mode) == 0)
    }

    /// Writes the manifest `app.yaml` with these tasks, with `com.example.app.` before each name. The
    /// tasks run one after the other.
    func declare(_ tasks: [(name: String, lines: String)]) throws {
        var text = """
            bgrun: 1
            app: com.example.app
            modes: [processing]
            permitted_identifiers: [com.example.app.*]
            policy: {profile: server, concurrent_attempts: 1, termination_wait: 100ms}
            tasks:

            """
        for task in tasks {
            text += "  com.example.app.\(task.name):\n    kind: processing\n"
            text += task.lines.split(separator: "\n").map { "    \($0)\n" }.joined()
        }
        try write("app.yaml", text)
    }

    /// Runs the manifest until all of its tasks have ended.
    func run(_ manifest: String = "app.yaml") throws -> AppRun {
        let ended = try bgrun(
            "run", "--verbose", "--json", "--state", "\(path)/state", "--manifest",
            "\(path)/\(manifest)")
        let history = try bgrun(
            "history", "--json", "--state", "\(path)/state", "--manifest", "\(path)/\(manifest)")
        return try AppRun(
            status: ended.status,
            log: ended.error.split(separator: "\n").map {
                try JSONDecoder().decode(AppRun.Line.self, from: Data($0.utf8))
            },
            attempts: JSONDecoder().decode([AppRun.Attempt].self, from: Data(history.output.utf8)))
    }

    /// Runs `bgrun` in `/`.
    func bgrun(_ arguments: String...) throws -> Ended {
        try command(Built.bgrun, arguments)
    }

    /// Runs a Python program with these arguments and returns its output.
    func python(_ program: String, _ arguments: String...) throws -> String {
        let ended = try command("/usr/bin/env", ["python3", "-c", program] + arguments)
        try #require(ended.status == 0, "\(ended.error)")
        return ended.output
    }

    func command(_ executable: String, _ arguments: [String]) throws -> Ended {
        // Files, because a full pipe would block the process.
        let files = ["output", "error"].map { URL(filePath: "\(path)/\($0)-\(UUID().uuidString)") }
        let process = Process()
        process.executableURL = URL(filePath: executable)
        process.arguments = arguments
        process.currentDirectoryURL = URL(filePath: "/")
        // A crash must end at once, without pages of backtrace; the load of this machine must not hold
        // back tasks.
        process.environment = ProcessInfo.processInfo.environment.merging([
            "SWIFT_BACKTRACE": "enable=no", "BGRUN_DEVICE_ROOT": "\(path)/no-machine",
        ]) { $1 }
        process.standardInput = FileHandle.nullDevice
        for file in files { try Data().write(to: file) }
        process.standardOutput = try FileHandle(forWritingTo: files[0])
        process.standardError = try FileHandle(forWritingTo: files[1])
        try process.run()
        process.waitUntilExit()
        let texts = try files.map { try String(contentsOf: $0, encoding: .utf8) }
        return Ended(status: process.terminationStatus, output: texts[0], error: texts[1])
    }
}

/// How a command ended.
struct Ended {
    var status: Int32
    var output: String
    var error: String
}

/// The log and the history of a run of a manifest.
struct AppRun {
    var status: Int32
    var log: [Line]
    var attempts: [Attempt]

    struct Line: Decodable {
        var level: String
        /// The task that wrote the line; nil for a line of the host.
        var task: String?
        var text: String
    }

    struct Attempt: Decodable {
        var identifier: String
        var outcome: String
        var detail: String
        var message: String?
    }

    /// The only attempt of a task.
    func attempt(_ name: String) throws -> Attempt {
        let all = attempts.filter { $0.identifier == "com.example.app.\(name)" }
        try #require(all.count == 1)
        return all[0]
    }

    /// The lines that a task itself logged.
    func lines(of name: String) -> [String] {
        log.filter { $0.task == "com.example.app.\(name)" }.map(\.text)
    }
}
