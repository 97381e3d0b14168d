// SPDX-License-Identifier: Apache-2.0

import Testing

@testable import BGRunPolicy

/// A store and a journal may hold any number.
@Suite("Extreme numbers", .timeLimit(.minutes(5)))
struct ExtremesTests {
    private func request(
        _ id: Int64, _ declaration: TaskDeclaration, _ number: Int64
    ) -> TaskRequest {
        let date = WallTime(milliseconds: number)
        return TaskRequest(
            id: id, identifier: declaration.identifier, kind: declaration.kind, submitted: date,
            earliest: date, waitingSince: date, occurrence: date, failures: Int(clamping: number),
            interruptions: Int(clamping: number))
    }

    @Test("a sum saturates at the largest and the smallest number")
    func sums() {
        #expect([Int64.max, .max, -1].saturatingSum == .max - 1)
        #expect([Int.min, -1].saturatingSum == .min)
        #expect([1, 2, 3].saturatingSum == 6)
    }

    @Test("a charge and counts from outside are brought into their range")
    func ranges() {
        #expect(DeviceState(batteryPercent: .max).batteryPercent == 100)
        #expect(DeviceState(batteryPercent: .min).batteryPercent == 0)
        let request = request(1, .task("a"), .max)
        #expect(request.failures == 1 << 31 && request.interruptions == 1 << 31)
        #expect(self.request(1, .task("a"), .min).failures == 0)
        #expect(AppFacts(entries: [Fact("missed:a", .max)]).missedCompletions == ["a": 1_000])
    }
}
