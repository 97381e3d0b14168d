// SPDX-License-Identifier: Apache-2.0

import BGRunManifest
import FoundationEssentials
import Glibc

/// Runs of an app on the simulated device, in separate processes and with a separate state.
struct VerifyRun {
    let manifest: String
    let app: String
    /// The directory of the run; its state is below it.
    let directory: String

    struct Failure: Error {
        var message: String
    }

    struct Line: Decodable {
        var time: String
        var text: String

        /// The identifier of a line that begins with `phrase`.
        func identifier(after phrase: String) -> String? {
            let words = "\(phrase) task with identifier "
            guard text.hasPrefix(words) else { return nil }
            return String(text.dropFirst(words.count).prefix { $0 != ":" && $0 != " " })
        }

        /// The identifier of the task whose attempt has ended.
        var ended: String? {
            for phrase in ["completed", "completed without success", "ended"] {
                let words = "Task \(phrase) with identifier "
                guard text.hasPrefix(words) else { continue }
                return String(text.dropFirst(words.count).prefix { $0 != ":" })
            }
            return nil
        }
    }

    /// Creates a state by these commands, which only simulated runs may use from then on: commands
    /// without a host refuse to change the state of a simulated run.
    func begin(after commands: [[String]]) throws {
        let state = "\(directory)/state/\(app)"
        try FileManager.default.createDirectory(
            atPath: state, withIntermediateDirectories: true,
            attributes: [.posixPermissions: 0o700])
        for words in commands { try command(words) }
        guard FileManager.default.createFile(atPath: state + "/simulated", contents: nil) else {
            throw Failure(message: "\(state) cannot be written")
        }
    }

    /// Runs another bgrun command on the app and returns its output.
    @discardableResult
    func command(_ words: [String]) throws -> String {
        try Self.output(of: named(words))
    }

    /// Runs a bgrun command and returns its output.
    static func output(of words: [String]) throws -> String {
        var output = try OutputPipe()
        let process = try output.write { try start(words, output: $0) }
        let text = output.all()
        guard process.wait() == 0 else {
            throw Failure(message: "bgrun \(words.joined(separator: " ")) failed")
        }
        return String(decoding: text, as: UTF8.self)
    }

    /// Runs a scenario with the real handlers until it ends or `isOver` returns true.
    func rehearse(_ scenario: String, until isOver: ([Line]) -> Bool = { _ in false }) throws
        -> [Line]
    {
        let file = "\(directory)/scenario.yaml"
        try scenario.write(toFile: file, atomically: true, encoding: .utf8)
        let words = named(["run", "--device", "simulated", "--scenario", file, "--json"])
        var log = try OutputPipe()
        let process = try log.write { try Self.start(words, error: $0) }
        let lines = Interruption.ending(process) { read(log, of: process, until: isOver) }
        guard [0, 1].contains(process.wait()) else {
            throw Failure(message: "the app could not be run; `bgrun run -m \(manifest)` says why")
        }
        return lines
    }

    /// The lines that `process` logs until it ends; SIGTERM ends it once `isOver` returns true.
    private func read(
        _ log: borrowing OutputPipe, of process: Subprocess, until isOver: ([Line]) -> Bool
    ) -> [Line] {
        var lines: [Line] = []
        var rest = Data()
        var isTold = false
        while true {
            let chunk = log.next()
            guard !chunk.isEmpty else { break }
            rest += chunk
            while let end = rest.firstIndex(of: UInt8(ascii: "\n")) {
                let line = try? JSONDecoder().decode(Line.self, text: rest[..<end])
                rest = rest[rest.index(after: end)...]
                if let line { lines.append(line) }
            }
            guard !isTold, isOver(lines) else { continue }
            isTold = true
            process.signal(SIGTERM)
        }
        return lines
    }

    private func named(_ words: [String]) -> [String] {
        words + ["-m", manifest, "--state", "\(directory)/state"]
    }

    private static func start(
        _ words: [String], output: Int32? = nil, error: Int32 = STDERR_FILENO
    ) throws -> Subprocess {
        try Subprocess("/proc/self/exe", words, output: output, error: error)
    }
}
