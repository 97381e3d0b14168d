// SPDX-License-Identifier: Apache-2.0

import BGRunPolicy
import Testing

@testable import BGRunHost

@Suite("Events that wait for a busy store", .timeLimit(.minutes(5)))
struct EventQueueTests {
    private let now = Instant(elapsed: 5, wall: WallTime(milliseconds: 5))

    private func held(_ events: [Event]) -> [Event] {
        var queue = EventQueue(asleep: 0)
        for event in events { queue.hold(event, at: now) }
        var held: [Event] = []
        while !queue.isEmpty { held.append(queue.next().event) }
        return held
    }

    @Test("do not accumulate if they replace or cancel each other")
    func bounded() {
        let churn = (0..<20_000).flatMap { (id: Int64) -> [Event] in
            [
                .assertionBegan(attempt: 1, id: id), .progress(attempt: 1, completed: id, total: 9),
                .timer, .deviceChanged(DeviceState()), .assertionEnded(attempt: 1, id: id),
                .granted(1), .suspending(within: nil), .resumed,
            ]
        }
        #expect(
            held(churn) == [
                .progress(attempt: 1, completed: 19_999, total: 9), .timer,
                .deviceChanged(DeviceState()), .resumed,
            ])
    }

    @Test("are merged into the newest if they repeat before they are handled")
    func newest() {
        let path = Event.submit(Submission(identifier: "a", delay: .zero), ticket: nil)
        let other = Event.submit(Submission(identifier: "b", delay: .zero), ticket: nil)
        let asked = Event.submit(Submission(identifier: "a", delay: .zero), ticket: 1)
        #expect(
            held([
                path, .manifestChanged(stopping: [1]), .resumed, .suspending(within: nil), asked,
                other,
                path, .manifestChanged(stopping: [2]), .suspending(within: .seconds(1)), asked,
            ]) == [
                .resumed, asked, other, path, .manifestChanged(stopping: [2]),
                .suspending(within: .seconds(1)), asked,
            ])
    }

    @Test("are handled in order, after events that were inserted before them")
    func order() {
        func progress(_ number: Int64) -> Event {
            .progress(attempt: 1, completed: number, total: 9)
        }
        var queue = EventQueue(asleep: 0)
        for number: Int64 in 0..<7 { queue.append(progress(number)) }
        var taken = [queue.next().event, queue.next().event]
        queue.insert([.timer])
        taken += [queue.next().event, queue.next().event]
        #expect(taken == [progress(0), progress(1), .timer, progress(2)])
        #expect(!queue.isLate)
        queue.hold(at: now)
        queue.hold(.resumed, at: now)
        #expect(queue.isLate)
        queue.resume()
        var rest: [Event] = []
        while !queue.isEmpty { rest.append(queue.next().event) }
        #expect(rest == (3..<7).map(progress) + [.resumed, .timer])
    }

    @Test("are limited: one more than the limit ends the process")
    func limit() async {
        var queue = EventQueue(asleep: 0)
        for _ in 0..<HostLimits.sent { queue.append(.timer) }
        #expect(queue.count == HostLimits.sent)
        _ = queue.next()
        queue.append(.timer)
        #expect(queue.count == HostLimits.sent)
        await #expect(processExitsWith: .failure) {
            var queue = EventQueue(asleep: 0)
            for _ in 0...HostLimits.sent { queue.append(.timer) }
        }
    }

    @Test("keep an assertion on which a report relies, and the end of an earlier one")
    func assertions() {
        let events: [Event] = [
            .assertionEnded(attempt: 1, id: 1), .assertionBegan(attempt: 1, id: 2),
            .assertionBegan(attempt: 2, id: 2), .attemptReported(attempt: 1),
            .assertionEnded(attempt: 1, id: 2),
        ]
        #expect(held(events) == events)
    }
}
