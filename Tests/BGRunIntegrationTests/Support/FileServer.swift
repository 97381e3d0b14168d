// SPDX-License-Identifier: Apache-2.0

import Foundation
import Glibc
import Testing

/// A web server for the files of a sandbox, which sends only as many bytes as the test allows.
final class FileServer: Sendable {
    let process: Running
    let address: String
    /// The directory of downloads and uploads.
    let directory: String
    private let gate: Gate?

    /// - Parameter isGated: Whether it sends nothing before `allow`.
    init(_ box: Sandbox, isGated: Bool = false) async throws {
        directory = box.directory + "/www"
        try FileManager.default.createDirectory(
            atPath: directory, withIntermediateDirectories: true)
        gate = isGated ? try box.gate("www.gate") : nil
        let script = Built.package + "/Tests/BGRunIntegrationTests/Fixtures/files.py"
        process = try box.startProgram(
            "/usr/bin/python3", [script, directory] + (gate.map { [$0.path] } ?? []))
        let port = try #require(try await process.line("port ").number(after: "port "))
        address = "http://127.0.0.1:\(port)"
    }

    /// Creates a file of random bytes atomically.
    func put(_ name: String, size: Int) throws {
        let bytes = Data((0..<size).map { _ in UInt8.random(in: .min ... .max) })
        try bytes.write(to: URL(filePath: directory + "/" + name), options: .atomic)
    }

    /// Sends `bytes` more bytes.
    func allow(_ bytes: Int) { gate?.open("\(bytes)") }

    /// Sends everything from now on.
    func allowAll() { gate?.open("all") }

    /// The requests so far.
    var requests: [String] { process.errorLines.filter { $0.hasPrefix("request ") } }

    func holds(_ name: String, sameAs path: String) -> Bool {
        FileManager.default.contentsEqual(atPath: directory + "/" + name, andPath: path)
    }
}

extension Sandbox {
    /// The process of the transfer service.
    var transferService: LivingProcess? {
        processes.first { $0.command.contains("bgrun-transferd") }
    }

    struct TransferRow: Decodable {
        var id: Int64
        var name: String?
        var state: String
        var bytes: Int64
        var reason: String?
        var remedy: String?
        var problem: String?
        var delivered: Bool
    }

    /// The rows of `bgrun transfers list`.
    func transfers() async throws -> [TransferRow] {
        let finished = try await start(
            ["transfers", "list", "--manifest", manifest, "--state", state, "--json", "--all"]
        ).end()
        try #require(finished.code == 0, "\(finished.error)")
        return try JSONDecoder().decode([TransferRow].self, from: Data(finished.output.utf8))
    }

    /// Runs `bgrun transfers WORD` for this app and waits for its end.
    @discardableResult
    func transfers(_ word: String, _ arguments: String...) async throws -> Finished {
        try await start(
            ["transfers", word, "--manifest", manifest, "--state", state] + arguments
        ).end()
    }

    /// Polls until `isTrue` returns true for the transfers; fails after 30 s.
    func untilTransfers(
        _ isTrue: ([TransferRow]) -> Bool, _ location: SourceLocation = #_sourceLocation
    ) async throws -> [TransferRow] {
        let start = ContinuousClock.now
        while true {
            let rows = try await transfers()
            if isTrue(rows) { return rows }
            try #require(
                start.duration(to: .now) < .seconds(30), "\(rows)", sourceLocation: location)
        }
    }
}

extension Sandbox {
    /// A download that submits a task of `followingTasks` after its success or failure.
    static let declaredFile = """
        org.test.file:
          download: ADDRESS/file
          to: data/file
          then: org.test.import
          on_failure: org.test.sorry
        """

    static let followingTasks = """
        org.test.import:
          kind: processing
          submit: manual
          handler: exec.run
          parameters: {command: 'basename "$BGRUN_TRANSFER_FILE"; wc -c < "$BGRUN_TRANSFER_FILE"'}
        org.test.sorry:
          kind: processing
          submit: manual
          handler: exec.run
          parameters: {command: 'echo sorry: "$BGRUN_TRANSFER_ERROR"'}
        """

    /// A sandbox whose manifest declares `transfers`; `ADDRESS` becomes the address of the server.
    static func withTransfers(
        _ transfers: String, tasks: String = followingTasks,
        device: String = "{power: battery, network: unmetered}", isGated: Bool = false,
        _ body: (Sandbox, FileServer) async throws -> Void
    ) async throws {
        let exec = try Built.plugin("exec")
        try await with { box in
            let server = try await FileServer(box, isGated: isGated)
            try box.write(
                plugins: ["exec": exec], device: device,
                rest: "policy: {profile: server}\ntransfers:\n"
                    + (transfers.isEmpty ? "{}" : transfers)
                    .replacing("ADDRESS", with: server.address)
                    .split(separator: "\n").map { "  \($0)\n" }.joined(),
                tasks: tasks)
            try await body(box, server)
        }
    }

    /// Waits until the server is the only process of the sandbox.
    func expectTestEnds(
        _ server: FileServer, _ location: SourceLocation = #_sourceLocation
    ) async {
        let isOver = await eventually { processes.allSatisfy { $0.pid == server.process.pid } }
        #expect(isOver, "still alive: \(processes)", sourceLocation: location)
    }
}
