// SPDX-License-Identifier: Apache-2.0

import BGRunPolicy
import BGRunStorage
import Foundation
import Testing

@testable import BGRunCLI

@Suite("Following the output of attempts", .timeLimit(.minutes(5)))
struct OutputReaderTests {
    private static func begin(_ id: Int64, _ name: String) -> StoreChange {
        let date = WallTime(milliseconds: 1)
        let request = TaskRequest(id: id, identifier: name, kind: .processing, submitted: date)
        let attempt = Attempt(
            id: id, request: request, declaration: name, deadlineElapsed: 1,
            launched: Instant(elapsed: 1, wall: date))
        return .beginAttempt(attempt, worker: nil)
    }

    private static func line(_ attempt: Int64, _ text: String) -> StoreChange {
        .output(attempt: attempt, .standardOutput, text: text, at: WallTime(milliseconds: 2))
    }

    @Test("each line is shown once, also after a reading without new lines")
    func once() throws {
        let path = NSTemporaryDirectory() + "bgrun-output-\(UUID().uuidString).sqlite"
        defer {
            for end in ["", "-wal", "-shm"] {
                try? FileManager.default.removeItem(atPath: path + end)
            }
        }
        let store = try Store.open(path)
        try store.apply(
            [Self.begin(1, "a"), Self.line(1, "first"), Self.line(1, "second")], durability: .full)
        var reader = OutputReader(identifier: nil, attempt: nil, since: nil)
        #expect(try reader.last(1, of: store).map(\.line.text) == ["second"])
        #expect(try reader.next(of: store).isEmpty)
        #expect(try reader.next(of: store).isEmpty)
        try store.apply(
            [Self.line(1, "third"), Self.begin(2, "b"), Self.line(2, "other")], durability: .full)
        #expect(try reader.next(of: store).map(\.line.text) == ["third", "other"])
        #expect(try reader.next(of: store).isEmpty)
    }
}
