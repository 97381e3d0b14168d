// SPDX-License-Identifier: Apache-2.0

import BGRunPolicy
import Foundation
import Testing

@testable import BGRunStorage

/// A temporary directory for one test; deinit removes it.
final class Scratch {
    let path: String

    init() throws {
        path = NSTemporaryDirectory() + "bgrun-store-" + UUID().uuidString
        try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true)
    }

    deinit { try? FileManager.default.removeItem(atPath: path) }

    var database: String { path + "/bgrun.sqlite" }

    func open() throws -> Store { try Store.open(database) }

    /// The names and bytes of all files.
    func contents() throws -> [String: Data] {
        try FileManager.default.contentsOfDirectory(atPath: path).reduce(into: [:]) { files, name in
            files[name] = try Data(contentsOf: URL(fileURLWithPath: path + "/" + name))
        }
    }

    /// A connection of another program, without bgrun's protections; creates a missing file.
    func connect(to path: String? = nil) throws -> Database {
        let path = path ?? database
        try StoreFile.create(path)
        return try Database(path, .write, timeout: 0)
    }

    /// Runs SQL on another connection than the store's.
    func execute(_ sql: String, in path: String? = nil) throws {
        try connect(to: path).execute(sql)
    }

    func integrity() throws -> String? { try connect().value("PRAGMA integrity_check") }
}

/// The executable that the tests kill.
struct Probe {
    let process = Process()
    private let output = Pipe()
    private let input = Pipe()

    init(_ arguments: String...) throws {
        let products = try FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/exe")
        process.executableURL = URL(fileURLWithPath: products).deletingLastPathComponent()
            .appendingPathComponent("bgrun-storage-probe")
        process.arguments = arguments
        process.standardOutput = output
        process.standardInput = input
        try process.run()
    }

    /// The next line of its output; nil at the end.
    func readLine() -> String? {
        var line: [UInt8] = []
        while let byte = output.fileHandleForReading.readData(ofLength: 1).first {
            guard byte != UInt8(ascii: "\n") else { return String(decoding: line, as: UTF8.self) }
            line.append(byte)
        }
        return nil
    }

    func writeLine() throws { try input.fileHandleForWriting.write(contentsOf: Data("\n".utf8)) }

    /// Kills it and reaps it. `Process.waitUntilExit` would also wait for its children, and until then
    /// Swift Testing's exit tests would wait for the zombie.
    func kill() {
        Glibc.kill(process.processIdentifier, SIGKILL)
        waitpid(process.processIdentifier, nil, 0)
    }
}

extension TaskRequest {
    static func sample(
        _ id: Int64, _ identifier: String = "com.example.refresh", kind: TaskKind = .appRefresh
    ) -> TaskRequest {
        TaskRequest(
            id: id, identifier: identifier, kind: kind,
            submitted: WallTime(milliseconds: 1_000 + id))
    }
}

extension Attempt {
    static func sample(_ id: Int64, of request: TaskRequest, declaration: String? = nil) -> Attempt
    {
        Attempt(
            id: id, request: request, declaration: declaration ?? request.identifier,
            deadlineElapsed: 90_000, launched: .sample(id))
    }
}

extension Instant {
    /// `tick` milliseconds after 1970 and after boot.
    static func sample(_ tick: Int64) -> Instant {
        Instant(elapsed: tick * 1_000_000, wall: WallTime(milliseconds: tick))
    }
}

extension StoreChange {
    static func end(_ attempt: Int64, _ outcome: Outcome = .completed, tick: Int64) -> StoreChange {
        .endAttempt(
            attempt: attempt, outcome, message: nil, at: .sample(tick), entered: nil,
            outputDropped: 0)
    }

    static func event(_ tick: Int64) -> StoreChange {
        .event(EventLine(at: .sample(tick), kind: "note", identifier: "a", text: "line \(tick)"))
    }
}

extension Store {
    func apply(_ changes: StoreChange...) throws {
        try apply(changes, durability: .normal)
    }
}
