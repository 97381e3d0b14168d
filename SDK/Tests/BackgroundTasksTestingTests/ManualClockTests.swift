// SPDX-License-Identifier: Apache-2.0

import BackgroundTasksTesting
import Foundation
import Testing

@Suite(.timeLimit(.minutes(5))) struct ManualClockTests {
    private let clock = ManualClock(start: Date(timeIntervalSince1970: 0))

    @Test("The clock stands still until it is advanced")
    func standsStill() {
        #expect(clock.date == Date(timeIntervalSince1970: 0))
        clock.advance(by: .milliseconds(1500))
        #expect(clock.date == Date(timeIntervalSince1970: 1.5))
        #expect(clock.now.sinceStart == .milliseconds(1500))
    }

    @Test("A sleeper wakes when the clock has come to its deadline")
    func wakes() async throws {
        let sleeper = Task { [clock] in
            try await clock.sleep(for: .seconds(10))
            return clock.now.sinceStart
        }
        try await clock.waitForSleepers()
        clock.advance(by: .seconds(9))
        clock.advance(by: .seconds(3))
        #expect(try await sleeper.value == .seconds(12))
    }

    @Test("A cancelled sleeper wakes at once")
    func cancelled() async throws {
        let sleeper = Task { [clock] in try await clock.sleep(for: .seconds(10)) }
        sleeper.cancel()
        await #expect(throws: CancellationError.self) { try await sleeper.value }
    }
}
