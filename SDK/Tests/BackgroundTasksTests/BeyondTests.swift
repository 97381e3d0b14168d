// SPDX-License-Identifier: Apache-2.0

import BGRunPluginRuntime
import BackgroundTasks
import CBGRunPlugin
import Foundation
import Synchronization
import Testing

@Suite("Checkpoints and parameters", .timeLimit(.minutes(5)))
struct BeyondTests {
    private struct Position: Codable, Equatable {
        var row: Int
        var name: String
    }

    private func run(
        _ parameters: String = "{}", checkpoint: PluginCheckpoint? = nil,
        _ body: @escaping @Sendable (BGTask) throws -> Void
    ) async -> FakeAttempt {
        let host = FakeHost { $0.register("refresh") { task in try body(task) } }
        let attempt = FakeAttempt(
            host, "refresh", parameters: parameters, checkpoint: checkpoint)
        attempt.start()
        await attempt.returned()
        return attempt
    }

    @Test("a checkpoint is read unchanged, and is nil if it is missing")
    func checkpoint() async {
        let attempt = await run { task throws in
            #expect(try task.checkpoint(as: Position.self) == nil)
            try task.saveCheckpoint(Position(row: 7, name: "seven"))
            #expect(try task.checkpoint() == Position(row: 7, name: "seven"))
            try task.removeCheckpoint()
            #expect(try task.checkpoint(as: Position.self) == nil)
        }
        #expect(await attempt.completion?.success == true)
    }

    @Test("a checkpoint of another version is ignored")
    func version() async {
        let stored = PluginCheckpoint(version: 1, data: Array(#"{"row":1,"name":""}"#.utf8))
        let attempt = await run(checkpoint: stored) { task throws in
            #expect(try task.checkpoint(as: Position.self) == Position(row: 1, name: ""))
            #expect(try task.checkpoint(as: Position.self, version: 2) == nil)
        }
        #expect(await attempt.completion?.success == true)
    }

    @Test("a checkpoint over 1 MiB is refused, and the message says so")
    func tooLarge() async {
        let attempt = await run { task throws in
            try task.saveCheckpoint(String(repeating: "x", count: 1 << 20))
        }
        #expect(await attempt.completion?.success == false)
        #expect(await attempt.completion?.message?.contains("1 MiB") == true)
    }

    private struct Cleanup: Decodable, Equatable {
        var database: String
        var keep: ManifestDuration
        var chunk: ManifestSize?
        var tables: [Table]

        struct Table: Decodable, Equatable {
            var name: String
            var vacuum: Bool
        }
    }

    @Test("parameters are decoded with nested values, lengths of time and sizes")
    func parameters() async {
        let given = """
            {"database": "library.sqlite", "keep": "90d", "chunk": "4MiB",
             "tables": [{"name": "album", "vacuum": true}], "bgrun.title": "ignored"}
            """
        let attempt = await run(given) { task in
            let cleanup = try task.parameters(as: Cleanup.self)
            #expect(cleanup.database == "library.sqlite")
            #expect(cleanup.keep.duration == .seconds(90 * 86_400))
            #expect(cleanup.chunk?.bytes == 4 << 20)
            #expect(cleanup.tables == [Cleanup.Table(name: "album", vacuum: true)])
            #expect(task.manifestDirectory.path == "/manifest")
        }
        #expect(await attempt.completion?.success == true)
    }

    @Test("a missing parameter, or an invalid length of time, fails the task with its key")
    func badParameters() async {
        for given in [#"{"keep": "90"}"#, #"{"database": "a", "keep": "90", "tables": []}"#] {
            let attempt = await run(given) { task in _ = try task.parameters(as: Cleanup.self) }
            let message = await attempt.completion?.message
            #expect(message?.contains("database") == true || message?.contains("keep") == true)
        }
    }

    @Test(
        "lengths of time are written as in the manifest",
        arguments: [
            ("90d", 7_776_000_000 as Int64?), ("1h30m", 5_400_000), ("1d12h", 129_600_000),
            ("250ms", 250), ("2w", 1_209_600_000), ("0s", 0), ("90", nil), ("", nil), ("d", nil),
            ("30m1h", nil), ("1m1m", nil), ("-1s", nil), ("1.5h", nil),
            ("99999999999999999999s", nil), ("9999999999999999w", nil),
        ])
    func durations(text: String, milliseconds: Int64?) {
        #expect(
            ManifestDuration(text)?.duration == milliseconds.map { Duration.milliseconds($0) })
    }

    @Test(
        "sizes are written as in the manifest",
        arguments: [
            ("64MiB", 67_108_864 as Int64?), ("1GB", 1_000_000_000), ("3KiB", 3_072), ("7B", 7),
            ("2kB", 2_000), ("64", nil), ("MiB", nil), ("1KB", nil), ("1.5MB", nil),
            ("99999999999GiB", nil),
        ])
    func sizes(text: String, bytes: Int64?) {
        #expect(ManifestSize(text)?.bytes == bytes)
    }
}
