// SPDX-License-Identifier: Apache-2.0

import BGRunPolicy
import Testing

@Suite("The limit of submissions by connections", .timeLimit(.minutes(5)))
struct TriggerLimitTests {
    private static let second: Int64 = 1_000_000_000

    /// Adds connections every `milliseconds` from `start` until the socket pauses. Returns the length of the
    /// pause in seconds; nil without a pause.
    private func rest(
        _ limit: inout TriggerLimit, from start: Int64, every milliseconds: Int64
    ) -> Int64? {
        for index in 0..<Int64(TriggerLimit.burst * 3) {
            let now = start + index * milliseconds * 1_000_000
            guard case .rest(let end) = limit.connection(at: now) else { continue }
            return (end - now) / Self.second
        }
        return nil
    }

    @Test(
        "twenty-one within ten seconds exceed it",
        arguments: [(0, 10), (1, 10), (499, 10), (500, nil), (501, nil), (5_000, nil)]
            as [(Int64, Int64?)])
    func burst(milliseconds: Int64, rest expected: Int64?) {
        var limit = TriggerLimit()
        #expect(rest(&limit, from: 7 * Self.second, every: milliseconds) == expected)
    }

    @Test("pauses the socket after the first twenty")
    func verdicts() {
        var limit = TriggerLimit()
        let verdicts = (0...TriggerLimit.burst).map { _ in limit.connection(at: 0) }
        #expect(verdicts.dropLast().allSatisfy { $0 == .submit })
        #expect(verdicts.last == .rest(until: TriggerLimit.shortestRest.nanoseconds))
    }

    @Test(
        "doubles each pause up to ten minutes, and starts again after ten minutes without one",
        arguments: [
            // Seconds from the end of a pause to the next burst, and the length of each pause.
            ([0, 0, 0], [10, 20, 40, 80]), ([0, 599, 600, 0], [10, 20, 40, 10, 20]),
            ([0, 0, 0, 0, 0, 0, 0], [10, 20, 40, 80, 160, 320, 600, 600]),
        ] as [([Int64], [Int64])])
    func rests(pauses: [Int64], rests expected: [Int64]) {
        var limit = TriggerLimit()
        var now: Int64 = 0
        var rests: [Int64] = []
        for pause in [0] + pauses {
            now += pause * Self.second
            guard let length = rest(&limit, from: now, every: 0) else { break }
            rests.append(length)
            now += length * Self.second
        }
        #expect(rests == expected)
    }
}
