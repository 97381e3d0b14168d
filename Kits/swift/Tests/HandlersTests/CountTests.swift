// SPDX-License-Identifier: Apache-2.0 OR 0BSD

import Testing

@testable import Handlers

struct CountTests {
    @Test("each piece is reported")
    func pieces() async throws {
        var at = Position(done: 1)
        var reported: [Int64] = []
        try await countOn(
            &at, CountParameters(pieces: 3, milliseconds: 0), isAskedToStop: { false },
            report: { reported.append($0.done) })
        #expect(reported == [2, 3])
    }

    @Test("it stops between two pieces when it is asked to")
    func asked() async {
        var at = Position()
        var reported: [Int64] = []
        await #expect(throws: CancellationError.self) {
            try await countOn(
                &at, CountParameters(pieces: 3, milliseconds: 0),
                isAskedToStop: { reported.count == 2 }, report: { reported.append($0.done) })
        }
        #expect(reported == [1, 2])
    }

    @Test("it stops in a piece when its time is revoked")
    func revoked() async {
        let work = Task {
            var at = Position()
            try await countOn(
                &at, CountParameters(pieces: 1, milliseconds: 3_600_000),
                isAskedToStop: { false }, report: { _ in })
        }
        work.cancel()
        await #expect(throws: CancellationError.self) { try await work.value }
    }
}
